import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { slidingWindow } from '@sluice/core'
import { describe, expect, test } from 'vitest'
import { streamSource } from '../../../src/simulate/log/open.js'
import { simulate, type ReadProgress } from '../../../src/simulate/index.js'
import { simulateSources } from '../../../src/simulate/simulate.js'
import { combinedLine, combinedLog, jsonLog, simulated, start, textOf, traffic } from '../logs.js'

const policies = slidingWindow({ limit: 10, window: '1m' })
const variants = { only: { policies } }

/** A stream of the text in parts of this length. */
function inParts(text: string | Buffer, length: number): Readable {
  const bytes = Buffer.from(text)
  return Readable.from(
    Array.from({ length: Math.ceil(bytes.length / length) }, (_, i) =>
      bytes.subarray(i * length, (i + 1) * length),
    ),
  )
}

describe('a log in parts', () => {
  test('several logs of several parts are merged by time', async () => {
    const lines = traffic(900)
    const whole = await simulate({ log: jsonLog(lines), variants })
    const parts = [0, 1, 2].map((rest) => lines.filter((_, i) => i % 3 === rest))
    const texts = await Promise.all(parts.map((part) => textOf(jsonLog(part))))
    const sources = texts.map((text, i) => streamSource(`${i}`, inParts(text, 1000 + 777 * i)))
    const { log, variants: reports } = await simulateSources(sources, {
      variants: [{ name: 'only', policies }],
    })
    expect(log).toMatchObject({ lines: 900, late: 0, from: whole.log.from, to: whole.log.to })
    expect(reports).toEqual(whole.variants)
  })

  test('logs that follow each other are read one after the other', async () => {
    const lines = traffic(900)
    const whole = await simulate({ log: jsonLog(lines), variants })
    const texts = [lines.slice(0, 450), lines.slice(450)].map(async (part) => textOf(jsonLog(part)))
    const [early, late] = await Promise.all(texts)
    const sources = [late, early].map((text, i) => streamSource(`${i}`, inParts(text, 2000)))
    const { log, variants: reports } = await simulateSources(sources, {
      variants: [{ name: 'only', policies }],
    })
    expect(log).toMatchObject({ lines: 900, late: 0 })
    expect(reports).toEqual(whole.variants)
  })

  test('logs with milliseconds are spread only if another one has whole seconds', async () => {
    const line = { at: start + 1, ip: '192.0.2.1' }
    const exact = await textOf(jsonLog([line, { ...line, durationMs: 5 }]))
    const whole = combinedLog([line, line])
    const read = async (...texts: readonly (string | Buffer)[]): Promise<unknown> => {
      const sources = texts.map((text, i) => streamSource(`${i}`, inParts(text, 1000)))
      const { log } = await simulateSources(sources, { variants: [{ policies }] })
      return { lines: log.lines, spread: log.spread, time: log.time }
    }
    expect(await read(exact)).toEqual({ lines: 2, spread: false, time: 'arrival' })
    expect(await read(whole)).toEqual({ lines: 2, spread: true, time: 'end' })
    expect(await read(whole, exact)).toEqual({ lines: 4, spread: true, time: 'arrival' })
    expect(await read(exact, whole)).toEqual({ lines: 4, spread: true, time: 'arrival' })
  })

  test('progress has the bytes and lines so far', async () => {
    const text = combinedLog(traffic(500))
    const seen: ReadProgress[] = []
    const onProgress = (progress: ReadProgress): void => void seen.push(progress)
    await simulate({ log: inParts(text, 5000), variants, onProgress })
    expect(seen.length).toBe(Math.ceil(text.length / 5000))
    expect(seen.map(({ bytesRead }) => bytesRead).slice(0, 2)).toEqual([5000, 10_000])
    expect(seen.at(-1)).toEqual({ lines: 500, bytesRead: text.length, bytes: undefined })
    const lines = seen.map((progress) => progress.lines)
    expect(lines).toEqual(lines.toSorted((a, b) => a - b))
  })

  test('a line of more than a megabyte in many parts is skipped', async () => {
    const line = combinedLine({ at: start, ip: '192.0.2.1' })
    const long = combinedLine({ at: start, ip: '192.0.2.1' }, 'x'.repeat(3_000_000))
    const text = [line, long, line].join('\n')
    const { log } = await simulate({ log: inParts(text, 100_000), variants })
    expect(log).toMatchObject({ lines: 3, skipped: { 'too long': 1 } })
  })
})

test('comments are not lines of a log', async () => {
  const head = '#Version: 1.0\n#Fields: date time c-ip cs-method cs-uri-stem sc-status\n'
  const line = '2026-11-20 00:00:01 192.0.2.1 GET / 200\n'
  const { log } = await simulated(head + line + head + line, { variants })
  expect(log).toMatchObject({ format: 'w3c', lines: 2, skipped: {} })
})

describe('a damaged log', () => {
  test('the part before damaged compressed data is reported', async () => {
    const compressed = gzipSync(await textOf(jsonLog(traffic(15_000))))
    const middle = Math.floor(compressed.length / 2)
    compressed.fill(0xff, middle, middle + 200)
    const damaged = { log: Readable.from([compressed]), variants, skipBadLines: 1 }
    const { log } = await simulate(damaged)
    expect(log.truncated).toBe(true)
    expect(log.lines).toBeGreaterThan(1000)
    expect(log.lines).toBeLessThan(15_000)
    // Before the end of the data is known, damaged bytes give lines of any text.
    await expect(simulate({ log: Readable.from([compressed]), variants })).rejects.toThrow(
      'do not fit the format',
    )
  })

  test('a stream that fails is an error', async () => {
    const failing = Readable.from(
      (async function* () {
        yield Buffer.from(combinedLog(traffic(50)))
        throw new Error('the disk is gone')
      })(),
    )
    await expect(simulate({ log: failing, variants })).rejects.toThrow('the disk is gone')
  })

  test('each skipped line is counted by its reason', async () => {
    const line = combinedLine({ at: start, ip: '192.0.2.1' })
    const bad = ['nonsense', '192.0.2.1 - - [x] "GET / HTTP/1.1" 200 5 "-" "-"']
    const lines = [line, ...bad, line, ...bad, line, bad[1], line, line, line]
    const seen: string[] = []
    const options = {
      variants,
      skipBadLines: 0.5,
      onBadLine: (text: string) => void seen.push(text),
    }
    const { log } = await simulated(lines.join('\n'), options)
    expect(log).toMatchObject({
      lines: 11,
      skipped: { 'no " - " after remote_addr': 2, 'no time': 3 },
    })
    expect(seen).toEqual([
      'the stream, line 2: no " - " after remote_addr\n  nonsense\n  ^',
      'the stream, line 3: no time\n  192.0.2.1 - - [x] "GET / HTTP/1.1" 200 5 "-" "-"\n                 ^',
    ])
  })
})
