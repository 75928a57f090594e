import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fixedWindow, slidingWindow } from '@sluice/core'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { LogRecord } from '../../../src/simulate/log/record.js'
import {
  byArrival,
  createWindow,
  spreadOverSecond,
  type Order,
  type WindowOptions,
} from '../../../src/simulate/log/order.js'
import { simulate } from '../../../src/simulate/index.js'
import { combinedLine, combinedLog, simulated, start, traffic, type Line } from '../logs.js'

const variants = { only: { policies: slidingWindow({ limit: 10, window: '1m' }) } }
const future = start + 20 * 365 * 86_400_000

describe('impossible times', () => {
  const json = (members: string): string =>
    `{"method":"GET","url":"/","status":200,"ip":"192.0.2.1",${members}}`
  const usual = json(`"time":${start + 1}`)

  test.each<readonly [string, string, string]>([
    ['beyond all dates', '"time":1e300', 'impossible time'],
    ['beyond all dates, as a text', `"time":"1${'0'.repeat(60)}"`, 'impossible time'],
    ['beyond all numbers', '"time":1e999', 'no time'],
    ['far in the future', '"time":1e24', 'impossible time'],
    ['after the year 6399', '"time":"6400-01-01T00:00:00Z"', 'impossible time'],
    ['negative', '"time":-1763596800000', 'no time'],
    ['negative, as a text', '"time":"-1763596800000"', 'no time'],
    ['before 1970', '"time":"1969-12-31T23:59:59Z"', 'impossible time'],
    ['before 1970, because of its offset', '"time":"1970-01-01T01:59:59+02:00"', 'impossible time'],
    ['no number', '"time":"NaN"', 'no time'],
    ['no time at all', '"time":"yesterday"', 'no time'],
    ['no day', '"time":"2026-13-01T00:00:00Z"', 'no time'],
    ['of another type', '"time":{}', 'no time'],
    ['empty', '"time":null', 'no time'],
    [
      'of a request that began before 1970',
      `"time":${start},"durationMs":${start + 1}`,
      'impossible time',
    ],
    [
      'of a request without a beginning',
      `"time":${start},"durationMs":"${'9'.repeat(400)}"`,
      'impossible time',
    ],
  ])('a line whose time is %s is skipped and counted', async (_, members, reason) => {
    const log = [usual, json(members), usual].join('\n')
    const {
      log: read,
      variants: [only],
    } = await simulated(log, { variants, skipBadLines: 0.5 })
    expect(read).toMatchObject({
      lines: 3,
      skipped: { [reason]: 1 },
      from: new Date(start + 1).toISOString(),
      to: new Date(start + 1).toISOString(),
    })
    expect(only.asked).toBe(2)
  })

  test('the earliest and the latest time are times', async () => {
    const log = [
      '1970-01-01T00:00:00.000Z',
      new Date(start + 1).toISOString(),
      '6399-12-31T23:59:59.999Z',
    ].map((time) => json(`"time":"${time}"`))
    const { log: read } = await simulated(log.join('\n'), { variants })
    expect(read).toMatchObject({
      skipped: {},
      from: '1970-01-01T00:00:00.000Z',
      to: '6399-12-31T23:59:59.999Z',
    })
  })

  test('in each format', async () => {
    const lines = [combinedLine({ at: start, ip: '192.0.2.1' })]
    lines.push(lines[0].replace('20/Nov/2026:00:00:00 +0000', '01/Jan/1970:00:00:00 +0200'))
    const { log } = await simulated(lines.join('\n'), { variants, skipBadLines: 0.5 })
    expect(log).toMatchObject({ lines: 2, skipped: { 'impossible time': 1 } })
  })
})

describe('a line from the future', () => {
  /** The number of records of these times that a window passes on. */
  function passedBy(options: WindowOptions, order: Order, times: readonly number[]): number {
    let passed = 0
    const window = createWindow(options, order, () => passed++)
    for (const time of times) window.push({ ...record, time, at: time })
    window.flush()
    return passed
  }

  const record: LogRecord = {
    time: start,
    at: start,
    durationMs: undefined,
    method: 'GET',
    url: '/',
    status: 200,
    address: undefined,
    isForwarded: false,
    forwarded: undefined,
    host: undefined,
    user: undefined,
    bytes: undefined,
    header: () => undefined,
    field: () => undefined,
  }

  // So many that these tests would take minutes if the work grew with the square of the lines.
  const length = 150_000
  const times = Array.from({ length }, (_, i) => start + i * 2000)
  const ahead = times.with(1000, future)
  const usual = { disorderMs: 60_000, maxHeld: 1_000_000 }

  test.each([
    ['spreadOverSecond', spreadOverSecond],
    ['byArrival', byArrival],
  ])('%s: takes no work that grows with the number of lines', (_, order) => {
    const passed = (options: typeof usual, of: readonly number[]): number =>
      passedBy(options, order, of)
    const far = passed(usual, ahead)
    const wide = passed({ ...usual, disorderMs: 10 * length * 2000 }, times)
    const full = passed({ ...usual, maxHeld: 4000 }, ahead)
    expect([far, wide, full]).toEqual([length, length, length])
  })

  test('changes no other decision', async () => {
    const lines = traffic(500)
    const plain = await simulated(combinedLog(lines), { variants })
    const more = await simulated(
      combinedLog(lines.toSpliced(100, 0, { at: future, ip: '198.51.100.99' })),
      {
        variants,
      },
    )
    expect(more.log).toMatchObject({ late: 0, to: new Date(future).toISOString() })
    expect(more.variants[0].denied).toBe(plain.variants[0].denied)
  })

  test.each([0, 60])('does not hold back its log (line %i)', async (place) => {
    const [even, odd] = [0, 1].map((rest) =>
      Array.from({ length: 400 }, (_, i) => ({
        at: start + (2 * i + rest) * 1000,
        ip: '192.0.2.1',
      })),
    )
    const report = await merged([odd.toSpliced(place, 0, { at: future, ip: '192.0.2.9' }), even])
    expect(report.log.late).toBe(0)
    expect(report.variants[0]).toMatchObject({ asked: 801, denied: 800 - 14 * 10 })
  })

  async function merged(logs: readonly (readonly Line[])[]): ReturnType<typeof simulate> {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-'))
    onTestFinished(async () => rm(folder, { recursive: true }))
    const files = logs.map((_, i) => join(folder, `${i}.log`))
    for (const [i, lines] of logs.entries()) await writeFile(files[i], combinedLog(lines))
    return simulate({
      log: files,
      variants: { only: { policies: fixedWindow({ limit: 10, window: '1m' }) } },
    })
  }
})

test('a request that took longer than the disorder is late, also in a log of whole seconds', async () => {
  const second = (at: number, durationMs: number): string =>
    JSON.stringify({
      time: new Date(start + at * 1000).toISOString().replace('.000', ''),
      durationMs,
      ip: '192.0.2.1',
      method: 'GET',
      url: '/',
      status: 200,
    })
  const lines = Array.from({ length: 200 }, (_, at) => second(at, at === 180 ? 150_000 : 0))
  const { log } = await simulated(lines.join('\n'), { variants })
  expect(log).toMatchObject({ spread: true, time: 'arrival', late: 1 })
})
