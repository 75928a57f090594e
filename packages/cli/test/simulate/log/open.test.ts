import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { fixedWindow, slidingWindow } from '@sluice/core'
import { describe, expect, test } from 'vitest'
import { simulate } from '../../../src/simulate/index.js'
import { combinedLine, combinedLog, jsonLog, simulated, start, textOf, traffic } from '../logs.js'

const policies = slidingWindow({ limit: 10, window: '1m' })
const variants = { only: { policies } }

describe('input', () => {
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
    const text = await textOf(jsonLog(traffic(6000)))
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
    const { log } = await simulated(`${lines.join('\n')}\n`, { variants, skipBadLines: 0.1 })
    expect(log.lines).toBe(53)
    expect(log.skipped).toEqual({ 'no " - " after remote_addr': 1, 'too long': 1, 'not HTTP': 1 })
  })

  test('a log in no known format is an error with its first line and what was tried', async () => {
    await expect(simulated('hello world\n\x1b[31mred\n', { variants })).rejects.toThrow(
      /no format fits all of the first lines. Line 1 stops fitting the format [^]*hello world[^]*\^[^]*Tried: common, combined/,
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
    const absent = await simulated(log, { variants: byHeader, missing: 'absent' })
    expect(absent.variants.map(({ asked }) => asked)).toEqual([0, 50])
  })

  test('requests with the status 429 are counted', async () => {
    const lines = traffic(50).map(({ at, ip }, i) => ({
      at,
      ip,
      status: [429, 200, 428, 430, 500][i % 5],
    }))
    const { log } = await simulated(combinedLog(lines), { variants })
    expect(log.limited).toBe(10)
  })
})

describe('sampling', () => {
  test('chooses keys, and keeps all requests of each', async () => {
    const lines = Array.from({ length: 8000 }, (_, i) => ({
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
