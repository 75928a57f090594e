import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomFrom, seed } from '@sluice/test-kit/random'
import {
  calendarWindow,
  fixedWindow,
  gcra,
  leakyBucket,
  leakyQueue,
  slidingWindow,
  staged,
  tokenBucket,
  unlimited,
  type Policy,
} from '@sluice/core'
import { describe, expect, test } from 'vitest'
import { cut, jsonReader } from './lines.js'
import {
  byArrival,
  bySecond,
  createWindow,
  spreadOverSecond,
  type Order,
  type WindowOptions,
} from '../../../src/simulate/log/order.js'
import { simulate, type Report } from '../../../src/simulate/index.js'
import { combinedLog, jsonLog, simulated, start, textOf, traffic, type Line } from '../logs.js'

const policies = slidingWindow({ limit: 10, window: '1m' })
const variants = { only: { policies } }

/** Lines out of order by less than `ms`. */
function shuffled(lines: readonly Line[], ms: number): readonly Line[] {
  const random = randomFrom(seed + 1)
  return lines
    .map((line) => ({ line, order: line.at + random() * ms }))
    .sort((a, b) => a.order - b.order)
    .map(({ line }) => line)
}

function withoutFiles({ log: { files: _files, ...log }, ...report }: Report): unknown {
  return { ...report, log }
}

describe('order', () => {
  test('lines that are out of order by less than a minute give the same report', async () => {
    const lines = traffic()
    const ordered = await simulate({ log: jsonLog(lines), variants })
    expect(ordered.variants[0].denied).toBeGreaterThan(0)
    expect(await simulate({ log: jsonLog(shuffled(lines, 59_000)), variants })).toEqual(ordered)
  })

  test('a line that is later still is replayed at the current time, and counted', async () => {
    const lines = [...traffic(200), { at: start, ip: '192.0.2.1' }]
    const {
      log,
      variants: [only],
    } = await simulate({ log: jsonLog(lines), variants })
    expect(log.late).toBe(1)
    expect(only.asked).toBe(201)
  })

  test('requests are replayed when they arrived, if the log has durations', async () => {
    // Both end at once, and the second began within the window of the first.
    const lines = [
      { at: start, ip: '192.0.2.1', durationMs: 10_000 },
      { at: start + 9000, ip: '192.0.2.1', durationMs: 500 },
    ]
    const { log, variants: reports } = await simulate({
      log: jsonLog(lines),
      variants: {
        long: { policies: fixedWindow({ limit: 1, window: '10s' }) },
        short: { policies: fixedWindow({ limit: 1, window: '9s' }) },
      },
    })
    expect(log).toMatchObject({ time: 'arrival', from: new Date(start).toISOString() })
    expect(reports.map(({ denied }) => denied)).toEqual([1, 0])
  })

  test('several logs are merged by time, and give the report of one', async () => {
    const lines = traffic()
    const folder = await mkdtemp(join(tmpdir(), 'sluice-'))
    const parts = [0, 1, 2].map((part) => lines.filter((_, i) => (i < 500 ? i % 2 : 2) === part))
    const files: string[] = []
    for (const [i, part] of parts.entries()) {
      const file = join(folder, `${i}.log`)
      await writeFile(file, await textOf(jsonLog(part)))
      files.push(file)
    }
    const merged = await simulate({ log: files.toReversed(), variants })
    await rm(folder, { recursive: true })
    expect(merged.log.files).toEqual(files.toReversed())
    expect(withoutFiles(merged)).toEqual(
      withoutFiles(await simulate({ log: jsonLog(lines), variants })),
    )
  })
})

describe('whole seconds', () => {
  const lines = Array.from({ length: 40 }, (_, i) => ({
    at: start + Math.floor(i / 4) * 1000,
    ip: '192.0.2.1',
  }))
  const spaced = { only: { policies: gcra({ limit: 240, window: '1m', burst: 1 }) } }

  test('the requests of one second are spread evenly over it', async () => {
    const {
      log,
      variants: [only],
      notes,
    } = await simulated(combinedLog(lines), { variants: spaced, force: true })
    expect(log).toMatchObject({ spread: true, time: 'end' })
    expect(only.denied).toBe(0)
    expect(notes.join()).toContain('spread evenly')
  })

  test('they are left at its beginning if spread is false', async () => {
    const {
      log,
      variants: [only],
    } = await simulated(combinedLog(lines), { variants: spaced, spread: false, force: true })
    expect(log.spread).toBe(false)
    expect(only.denied).toBe(30)
  })

  test.each<readonly [string, string, Policy]>([
    ['fixedWindow', '4999ms', fixedWindow({ limit: 2, window: 4999 })],
    ['gcra', '3s', gcra({ limit: 100, window: '1m', burst: 5 })],
    ['tokenBucket', '4s', tokenBucket({ capacity: 8, refill: 2, every: '1s' })],
    ['leakyBucket', '4s', leakyBucket({ capacity: 4, leak: 1, every: '1s' })],
    ['leakyQueue', '2500ms', leakyQueue({ leak: 2, every: '1s', maxDelay: '2s' })],
    [
      'staged',
      '1s',
      staged({
        free: slidingWindow({ limit: 9, window: '1d' }),
        then: gcra({ limit: 1, window: '1s' }),
      }),
    ],
  ])('%s that recovers within %s is refused without force', async (_, recovery, policy) => {
    const short = { only: { policies: policy } }
    await expect(simulated(combinedLog(lines), { variants: short })).rejects.toThrow(
      `only: the log has whole seconds, which say little about a limit that recovers within ${recovery}.`,
    )
    const { variants: forced } = await simulated(combinedLog(lines), {
      variants: short,
      force: true,
    })
    expect(forced[0].asked).toBe(40)
  })

  test('limits that recover in five seconds or more are replayed', async () => {
    const policies = {
      window: fixedWindow({ limit: 2, window: '5s' }),
      bucket: tokenBucket({ capacity: 10, refill: 2, every: '1s' }),
      day: calendarWindow({ limit: 20, period: 'day', timeZone: 'UTC' }),
      all: unlimited(),
    }
    const { variants: only } = await simulated(combinedLog(lines), {
      variants: { only: { policies } },
    })
    expect(only[0].asked).toBe(40)
  })

  test('a rule that recovers within five seconds is refused when it first applies', async () => {
    const rules = {
      text: '{ version: 1, name: a, rules: [{ id: fast, key: ip, limit: 1, window: 1s }] }',
      format: 'yaml',
      files: new Map(),
    } as const
    await expect(simulated(combinedLog(lines), { variants: { a: { rules } } })).rejects.toThrow(
      'rule "fast": the log has whole seconds',
    )
    const forced = await simulated(combinedLog(lines), { variants: { a: { rules } }, force: true })
    expect(forced.variants[0].denied).toBe(30)
  })
})

describe('a window', () => {
  /** The records that a window passes on, as their time and their place in the input. */
  function passed(
    times: readonly number[],
    options: WindowOptions,
    order: Order,
  ): readonly (readonly [number, string])[] {
    const found: (readonly [number, string])[] = []
    const window = createWindow(options, order, (record) =>
      found.push([record.at, record.url.slice(1)]),
    )
    for (const [i, time] of times.entries()) {
      const line = { time: start + time, method: 'GET', url: `/${i}`, status: 200 }
      const record = cut(jsonReader(), JSON.stringify(line))
      if (typeof record === 'string') throw new Error(record)
      window.push(record)
    }
    window.flush()
    return found
  }

  test('records pass in the order of their time, and records of one time in the order of the input', () => {
    const times = Array.from({ length: 300 }, (_, i) => ((i * 7919) % 60) * 1000)
    const sorted = times
      .map((time, i) => [start + time, `${i}`] as const)
      .sort((a, b) => a[0] - b[0] || Number(a[1]) - Number(b[1]))
    for (const order of [byArrival, bySecond])
      expect(passed(times, { disorderMs: 60_000, maxHeld: 1000 }, order)).toEqual(sorted)
  })

  test.each([
    ['too late', 5000, 1000],
    ['more than may be held', 60_000, 20],
  ])('time never steps back, even if records are %s', (_, disorderMs, maxHeld) => {
    const times = Array.from({ length: 300 }, (_, i) => i * 500 + ((i * 7919) % 60) * 1000)
    for (const order of [byArrival, spreadOverSecond]) {
      const found = passed(times, { disorderMs, maxHeld }, order).map(([at]) => at)
      expect(found).toHaveLength(300)
      expect(found).toEqual(found.toSorted((a, b) => a - b))
    }
  })

  test('whole seconds are spread before durations are subtracted', async () => {
    const line = (seconds: string, duration: string): string =>
      `192.0.2.1 [20/Nov/2026:00:01:${seconds} +0000] "GET / HTTP/1.1" 200 ${duration}\n`
    // Spread over second 10 at 10.0 and 10.5; the second request arrived first.
    const {
      log,
      variants: [only],
    } = await simulated(line('10', '1.000') + line('10', '9.000') + line('30', '0.000'), {
      variants: { only: { policies: fixedWindow({ limit: 1, window: '8s' }) } },
      nginxFormat: '$remote_addr [$time_local] "$request" $status $request_time',
    })
    expect(log).toMatchObject({ time: 'arrival', spread: true, from: '2026-11-20T00:01:01.500Z' })
    expect(only.top).toMatchObject([{ denied: 1, first: '2026-11-20T00:01:09.000Z' }])
  })
})
