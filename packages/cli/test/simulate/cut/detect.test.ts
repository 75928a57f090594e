import { describe, expect, test } from 'vitest'
import { detectFormat, type FormatOptions } from '../../../src/simulate/cut/detect.js'
import { combinedLine, start } from '../logs.js'

const line = { at: start, ip: '192.0.2.1' }
const nginxFormat = '$remote_addr [$time_local] "$request" $status $request_time'
const json = (fields: object): string =>
  JSON.stringify({ time: start, method: 'GET', url: '/', status: 200, ...fields })

function detected(lines: readonly string[], options: FormatOptions = {}): unknown {
  const { cutter, wholeSeconds, hasDurations } = detectFormat('a.log', lines.join('\n'), options)
  return { format: cutter.format, wholeSeconds, hasDurations }
}

describe('detectFormat', () => {
  test('a format has to fit half of the lines, without comments', () => {
    const half = [combinedLine(line), 'nonsense', combinedLine(line), 'more nonsense']
    expect(detected(half)).toMatchObject({ format: 'combined' })
    expect(() => detected([...half, 'too much'])).toThrow(
      'a.log: no format fits half of the first 5 lines',
    )
  })

  test('one line with a duration is enough to know the arrival of requests', () => {
    expect(detected([json({}), json({ durationMs: 5 }), json({})])).toMatchObject({
      hasDurations: true,
    })
    expect(detected([json({})])).toMatchObject({ hasDurations: false })
  })

  test('one time with milliseconds is enough for a log with milliseconds', () => {
    expect(detected([json({}), json({ time: start + 1 })])).toMatchObject({ wholeSeconds: false })
    expect(detected([json({}), json({ time: start + 1000 })])).toMatchObject({ wholeSeconds: true })
  })

  test('only the first 1,000 lines count', () => {
    const lines = Array.from({ length: 1000 }, () => json({}))
    expect(detected([...lines, json({ time: start + 1, durationMs: 5 })])).toMatchObject({
      wholeSeconds: true,
      hasDurations: false,
    })
  })

  test('the format of nginx that the user states wins over formats that fit as well', () => {
    const lines = [`192.0.2.1 [20/Nov/2026:00:00:00 +0000] "GET / HTTP/1.1" 200 0.250`]
    expect(detected(lines, { nginxFormat })).toEqual({
      format: 'nginx',
      wholeSeconds: true,
      hasDurations: true,
    })
    expect(() => detected([json({})], { nginxFormat })).toThrow('nginx: 0 of 1 lines')
  })

  test('a stated format is the only one that is tried', () => {
    expect(() => detected([combinedLine(line)], { format: 'alb' })).toThrow(
      /Tried:\n {2}alb: 0 of 1 lines; most often: too few fields\n(?! )/,
    )
    expect(() => detected([combinedLine(line)], { format: 'nginx' })).toThrow(
      '--format nginx needs the log_format',
    )
  })
})
