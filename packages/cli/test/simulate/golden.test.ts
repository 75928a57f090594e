import { families, seed, unlimitedSample, type Followed } from '@sluice/conformance'
import { randomFrom } from '@sluice/conformance/random'
import { describe, expect, test } from 'vitest'
import { simulate } from '../../src/simulate/index.js'
import { jsonLog, start, type Line } from './logs.js'

const keys = ['192.0.2.1', '192.0.2.2', '198.51.100.7']
const requests = 120

describe.each(families)('$name', ({ samples }) => {
  test.each(samples.map((sample) => ({ numbers: JSON.stringify(sample.policy), sample })))(
    'every number of the report equals that of the model: $numbers',
    async ({ sample }) => {
      const lines = trafficFor(sample)
      const { variants, log } = await simulate({
        log: jsonLog(lines),
        variants: { only: { policies: sample.policy } },
      })
      expect(log).toMatchObject({ lines: requests, late: 0, skipped: {}, time: 'arrival' })
      expect(numbersOf(variants[0])).toEqual(truthOf(sample, lines))
    },
  )
})

test('unlimited denies nothing', async () => {
  const lines = trafficFor(unlimitedSample)
  const { variants } = await simulate({
    log: jsonLog(lines),
    variants: { only: { policies: unlimitedSample.policy } },
  })
  expect(numbersOf(variants[0])).toEqual(truthOf(unlimitedSample, lines))
})

/** Requests of a few keys, in bursts and at intervals close to those after which the policy allows again. Each lasts longer than any lease. */
function trafficFor({ windowMs, quota }: Followed): readonly Line[] {
  const random = randomFrom(seed)
  const unit = Math.max(1, Math.floor(windowMs / Math.max(1, Math.min(quota, 50))))
  const gaps = [0, 0, 1, unit, unit - 1, Math.ceil(unit / 3), Math.ceil(windowMs / 4), windowMs]
  let at = start
  return Array.from({ length: requests }, () => {
    at += gaps[Math.floor(random() * gaps.length)]
    return { at, ip: keys[Math.floor(random() ** 2 * keys.length)], durationMs: 2 * windowMs }
  })
}

interface Numbers {
  readonly asked: number
  readonly denied: number
  readonly keys: number
  readonly keysDenied: number
  readonly streak: number
  readonly series: { readonly asked: number; readonly denied: number }
  readonly top: readonly (readonly [string, number, number, string, string])[]
}

function numbersOf(variant: Awaited<ReturnType<typeof simulate>>['variants'][number]): Numbers {
  const { asked, denied, keys, keysDenied, streak, series, top } = variant
  const sum = (field: 'asked' | 'denied'): number =>
    series.reduce((total, point) => total + point[field], 0)
  return {
    asked,
    denied,
    keys,
    keysDenied,
    streak: streak.length,
    series: { asked: sum('asked'), denied: sum('denied') },
    top: top.map(({ key, asked, denied, first, last }) => [key, asked, denied, first, last]),
  }
}

/** The same numbers, by the model of each key. */
function truthOf({ createModel }: Followed, lines: readonly Line[]): Numbers {
  const byKey = new Map(keys.map((key) => [key, lines.filter(({ ip }) => ip === key)]))
  let longest = 0
  const all = [...byKey].map(([key, own]) => {
    const model = createModel()
    const denials: number[] = []
    let run = 0
    for (const { at } of own) {
      const { allowed } = model.consume(at, 1)
      run = allowed ? 0 : run + 1
      longest = Math.max(longest, run)
      if (!allowed) denials.push(at)
    }
    return { key, asked: own.length, denials }
  })
  const denied = all.filter(({ denials }) => denials.length > 0)
  const sum = denied.reduce((total, { denials }) => total + denials.length, 0)
  return {
    asked: lines.length,
    denied: sum,
    keys: all.filter(({ asked }) => asked > 0).length,
    keysDenied: denied.length,
    streak: longest,
    series: { asked: lines.length, denied: sum },
    top: denied
      .sort((a, b) => b.denials.length - a.denials.length || (a.key < b.key ? -1 : 1))
      .map(({ key, asked, denials }) => [
        key,
        asked,
        denials.length,
        iso(Math.min(...denials)),
        iso(Math.max(...denials)),
      ]),
  }
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}
