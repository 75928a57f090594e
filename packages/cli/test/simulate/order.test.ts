import { gzipSync } from 'node:zlib'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { seed } from '@sluice/conformance'
import { randomFrom } from '@sluice/conformance/random'
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
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jsonCutter } from '../../src/simulate/cut/json.js'
import type { LogRecord } from '../../src/simulate/cut/record.js'
import { createReorder } from '../../src/simulate/order/reorder.js'
import { createSpread, type Stage } from '../../src/simulate/order/spread.js'
import { simulate, type Report } from '../../src/simulate/index.js'
import { combinedLine, combinedLog, jsonLog, simulated, start, type Line } from './logs.js'

const policies = slidingWindow({ limit: 10, window: '1m' })
const variants = { only: { policies } }

/** One request in 700 milliseconds, of one of three clients. */
function traffic(length = 3000): readonly Line[] {
  const random = randomFrom(seed)
  return Array.from({ length }, (_, i) => ({
    at: start + i * 700 + (i % 3),
    ip: `192.0.2.${1 + Math.floor(random() ** 2 * 3)}`,
  }))
}

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
    const parts = [0, 1, 2].map((part) => lines.filter((_, i) => (i < 1500 ? i % 2 : 2) === part))
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

describe('the stages', () => {
  /** The records that a stage passes on, as their time and their place in the input. */
  function passed(
    times: readonly number[],
    stageOf: (next: (record: LogRecord) => void) => Stage,
  ): readonly (readonly [number, string])[] {
    const found: (readonly [number, string])[] = []
    const stage = stageOf((record) => found.push([record.at, record.url]))
    for (const [i, time] of times.entries()) {
      const record = jsonCutter({}).cut(
        JSON.stringify({ time: start + time, method: 'GET', url: `${i}`, status: 200 }),
        0,
        200,
      )
      if (typeof record === 'string') throw new Error(record)
      stage.push(record)
    }
    stage.flush()
    return found
  }

  test('records pass in the order of their time, and records of one time in the order of the input', () => {
    const times = Array.from({ length: 300 }, (_, i) => ((i * 7919) % 60) * 1000)
    const sorted = times
      .map((time, i) => [start + time, `${i}`] as const)
      .sort((a, b) => a[0] - b[0] || Number(a[1]) - Number(b[1]))
    expect(
      passed(times, (next) => createReorder({ disorderMs: 60_000, maxHeld: 1000 }, next)),
    ).toEqual(sorted)
    const ofSpread = passed(times, (next) =>
      createSpread({ disorderMs: 60_000, maxHeld: 1000, spread: false }, next),
    )
    expect(ofSpread).toEqual(sorted)
  })

  test.each([
    ['too late', 5000, 1000],
    ['more than may be held', 60_000, 20],
  ])('time never steps back, even if records are %s', (_, disorderMs, maxHeld) => {
    const times = Array.from({ length: 300 }, (_, i) => i * 500 + ((i * 7919) % 60) * 1000)
    for (const create of [createReorder, createSpread] as const) {
      const found = passed(times, (next) =>
        create({ disorderMs, maxHeld, spread: true }, next),
      ).map(([at]) => at)
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

describe('input', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-'))
  })
  afterAll(async () => {
    await rm(folder, { recursive: true })
  })

  test('a compressed log gives the same report', async () => {
    const text = await textOf(jsonLog(traffic()))
    const plain = await simulate({ log: Readable.from([text]), variants })
    expect(await simulate({ log: Readable.from([gzipSync(text)]), variants })).toEqual(plain)
  })

  test('several compressed parts in one file are read as one', async () => {
    const text = await textOf(jsonLog(traffic()))
    const parts = Buffer.concat([gzipSync(text.subarray(0, 1000)), gzipSync(text.subarray(1000))])
    const plain = await simulate({ log: Readable.from([text]), variants })
    expect(await simulate({ log: Readable.from([parts]), variants })).toEqual(plain)
  })

  test('the part before the end of truncated data is reported', async () => {
    const text = await textOf(jsonLog(traffic(30_000)))
    const compressed = gzipSync(text)
    const { log, notes } = await simulate({
      log: Readable.from([compressed.subarray(0, compressed.length / 2)]),
      variants,
    })
    expect(log.truncated).toBe(true)
    expect(log.lines).toBeGreaterThan(1000)
    expect(notes.join()).toContain('truncated')
  })

  test('the report does not depend on how the bytes are divided', async () => {
    const text = Buffer.from(combinedLog(traffic(500)).replaceAll('\n', '\r\n'))
    const divided = (size: number): Readable =>
      Readable.from(
        Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
          text.subarray(i * size, (i + 1) * size),
        ),
      )
    const whole = await simulate({ log: divided(text.length), variants })
    expect(whole.log).toMatchObject({ lines: 500, skipped: {} })
    // The first block has to have lines enough to recognize the format.
    for (const size of [4096, 1000, 333])
      expect(await simulate({ log: divided(size), variants })).toEqual(whole)
  })

  test('lines that do not parse are skipped and counted by reason, also one of more than a megabyte', async () => {
    const lines = traffic(50).map((line) => combinedLine(line))
    lines.splice(
      10,
      0,
      'no log line at all',
      combinedLine(traffic(1)[0], 'x'.repeat(1_200_000)),
      '',
    )
    lines.splice(20, 0, '192.0.2.1 - - [20/Nov/2026:00:00:01 +0000] "-" 408 0 "-" "-"')
    const { log } = await simulated(`${lines.join('\n')}\n`, { variants })
    expect(log.lines).toBe(53)
    expect(log.skipped).toEqual({ 'no time': 1, 'too long': 1, 'not HTTP': 1 })
  })

  test('a log in no known format is an error with its first line and what was tried', async () => {
    await expect(simulated('hello world\n\x1b[31mred\n', { variants })).rejects.toThrow(
      /no format fits half of the first 2 lines[^]*hello world[^]*combined: 0 of 2 lines/,
    )
  })

  test('an empty log is an error', async () => {
    await expect(simulated('', { variants })).rejects.toThrow('the log is empty')
  })

  test('a field that the format does not have is an error, unless that is expected', async () => {
    const log = combinedLog(traffic(50))
    const byHeader = { only: { policies, key: 'header.x-api-key' }, ip: { policies } }
    await expect(simulated(log, { variants: byHeader })).rejects.toThrow(
      '--key header.x-api-key: the format combined has no field "header.x-api-key"',
    )
    const report = await simulated(log, { variants: byHeader, missing: 'skip' })
    expect(report.variants.map(({ asked }) => asked)).toEqual([0, 50])
  })

  test('requests with the status 429 are counted', async () => {
    const lines = traffic(50).map(({ at, ip }, i) => ({ at, ip, status: i % 5 === 0 ? 429 : 200 }))
    const { log } = await simulated(combinedLog(lines), { variants })
    expect(log.limited).toBe(10)
  })
})

describe('sampling', () => {
  test('chooses keys, and keeps all requests of each', async () => {
    const lines = Array.from({ length: 20_000 }, (_, i) => ({
      at: start + i * 10,
      ip: `10.0.${i % 100}.${i % 37}`,
    }))
    const {
      log,
      variants: [only],
    } = await simulate({
      log: jsonLog(lines),
      variants: { only: { policies: fixedWindow({ limit: 1, window: '1h' }) } },
      sample: 0.3,
      top: 10_000,
    })
    expect(log.sampled).toBe(0.3)
    expect(only.keys).toBeGreaterThan(3700 * 0.2)
    expect(only.keys).toBeLessThan(3700 * 0.4)
    const asked = new Map<string, number>()
    for (const { ip } of lines) asked.set(ip, (asked.get(ip) ?? 0) + 1)
    for (const { key, asked: counted } of only.top) expect(counted).toBe(asked.get(key))
  })
})

async function textOf(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}
