import { families, unlimitedSample, type Followed } from '@sluice/conformance'
import { randomFrom, runs, seed } from '@sluice/test-kit/random'
import { describe, expect, test } from 'vitest'
import { simulate, type Report } from '../../src/simulate/index.js'
import { jsonLog, start, type Line } from './logs.js'

const keys = ['192.0.2.1', '192.0.2.2', '198.51.100.7']
const requests = 120

describe.each(families)('$name', ({ samples }) => {
  // Each algorithm has a fifth of its policies in `npm test`.
  const some = samples.slice(0, runs(samples.length))

  test.each(some.map((sample) => ({ numbers: JSON.stringify(sample.policy), sample })))(
    'every number of the report equals that of the model: $numbers',
    async ({ sample }) => {
      const lines = trafficFor(sample)
      const report = await simulate({
        log: jsonLog(lines),
        format: 'json',
        variants: { only: { policies: sample.policy } },
      })
      expect(report.log).toMatchObject({ lines: requests, late: 0, skipped: {}, time: 'arrival' })
      expect(numbersOf(report)).toEqual(truthOf(sample, lines, report.intervalMs))
    },
  )
})

test('unlimited denies nothing', async () => {
  const lines = trafficFor(unlimitedSample)
  const report = await simulate({
    log: jsonLog(lines),
    variants: { only: { policies: unlimitedSample.policy } },
  })
  expect(numbersOf(report)).toEqual(truthOf(unlimitedSample, lines, report.intervalMs))
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
  readonly requests: readonly (readonly [string, number])[]
  readonly denials: readonly (readonly [string, number, number])[]
  readonly top: readonly (readonly [string, number, number, string, string])[]
}

function numbersOf({ requests, variants }: Report): Numbers {
  const { asked, denied, keys, keysDenied, streak, denials, top } = variants[0]
  return {
    asked,
    denied,
    keys,
    keysDenied,
    streak: streak.length,
    requests: requests.map(({ at, asked }) => [at, asked]),
    denials: denials.map(({ at, asked, denied }) => [at, asked, denied]),
    top: top.map(({ key, asked, denied, first, last }) => [key, asked, denied, first, last]),
  }
}

/** The same numbers, by the model of each key. */
function truthOf({ createModel }: Followed, lines: readonly Line[], intervalMs: number): Numbers {
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
  const asked = countsIn(
    lines.map(({ at }) => at),
    intervalMs,
  )
  const denials = countsIn(
    denied.flatMap((one) => one.denials),
    intervalMs,
  )
  return {
    asked: lines.length,
    denied: sum,
    keys: all.filter(({ asked }) => asked > 0).length,
    keysDenied: denied.length,
    streak: longest,
    requests: [...asked],
    denials: [...asked].flatMap(([at, count]) => {
      const within = denials.get(at)
      return within === undefined ? [] : [[at, count, within] as const]
    }),
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

/** The counts of intervals that begin at multiples of their width. */
function countsIn(times: readonly number[], intervalMs: number): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const time of times) {
    const start = iso(time - (time % intervalMs))
    counts.set(start, (counts.get(start) ?? 0) + 1)
  }
  return counts
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}
