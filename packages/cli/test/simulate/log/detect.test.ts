import { describe, expect, test } from 'vitest'
import { detectFormat } from '../../../src/simulate/log/detect.js'
import type { FormatOptions } from '../../../src/simulate/log/format-options.js'
import { keyReader } from '../../../src/simulate/keys.js'
import { combinedLine, start } from '../logs.js'

const line = { at: start, ip: '192.0.2.1' }
const nginxFormat = '$remote_addr [$time_local] "$request" $status $request_time'
const combinedFormat =
  '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"'
const json = (fields: object): string =>
  JSON.stringify({ time: start, method: 'GET', url: '/', status: 200, ...fields })

function detected(lines: readonly string[], options: FormatOptions = {}): unknown {
  const { format, wholeSeconds, hasDurations } = detectFormat('a.log', lines.join('\n'), options)
  return { format, wholeSeconds, hasDurations }
}

describe('detectFormat', () => {
  test('a format has to fit all of the first lines, without comments', () => {
    const lines = [combinedLine(line), combinedLine(line)]
    expect(detected(lines)).toMatchObject({ format: 'combined' })
    expect(() =>
      detected([...lines, '192.0.2.1 - - [nonsense] "GET / HTTP/1.1" 200 5 "-" "-"']),
    ).toThrow(
      'a.log: no format fits all of the first lines. Line 3 stops fitting the format combined: no time.\n' +
        '  192.0.2.1 - - [nonsense] "GET / HTTP/1.1" 200 5 "-" "-"\n' +
        '                 ^\n',
    )
    expect(detected([...lines, 'nonsense'], { skipBadLines: 0.4 })).toMatchObject({
      format: 'combined',
    })
    expect(() => detected([...lines, 'nonsense'], { skipBadLines: 0.3 })).toThrow('no format fits')
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
    expect(() => detected([json({})], { nginxFormat })).toThrow(
      'Line 1 stops fitting the format nginx',
    )
  })

  test('a stated format is the only one that is tried', () => {
    expect(() => detected([combinedLine(line)], { format: 'alb' })).toThrow('Tried: alb.')
    expect(() => detected([combinedLine(line)], { logFormat: 'alb' })).toThrow('Tried: alb.')
    expect(() => detected([combinedLine(line)], { format: 'what' })).toThrow(
      'there is no format "what"',
    )
    expect(() => detected([combinedLine(line)], { format: 'nginx' })).toThrow(
      '--format nginx needs the log_format',
    )
  })
})

describe('an address that is one of several', () => {
  const combined = (address: string, more = ''): string =>
    `${combinedLine({ at: start, ip: address })}${more}`
  const clientOf = (lines: readonly string[], options: FormatOptions = {}): unknown => {
    const text = lines.join('\n')
    const log = detectFormat('a.log', text, options)
    if (!log.has('ip')) return undefined
    const reading = log.open().read(lines[0])
    return typeof reading === 'object' && 'address' in reading ? reading.address?.client : reading
  }
  const list = '192.0.2.9, 192.0.2.1, 10.0.0.1'

  test.each<readonly [FormatOptions['address'], string]>([
    ['first', '192.0.2.9'],
    ['last', '10.0.0.1'],
    [2, '192.0.2.1'],
    [9, '192.0.2.9'],
  ])('of a list is the one that the user chooses: %s', (address, client) => {
    expect(clientOf([combined(list)], { address })).toBe(client)
    expect(clientOf([combined('10.0.0.2', ` "${list}"`)], { address })).toBe(client)
    const line = { ip: '10.0.0.2', 'x-forwarded-for': list }
    expect(clientOf([json(line)], { address })).toBe(client)
  })

  test('of a list is an error without a choice', () => {
    expect(() => clientOf([combined(list)])).toThrow('several addresses')
    expect(() => clientOf([combined('192.0.2.9, 10.0.0.1')])).toThrow('several addresses')
    expect(() => clientOf([combined('10.0.0.2', ` "${list}"`)])).toThrow('State which one counts')
    expect(() => clientOf([json({ ip: '10.0.0.2', 'x-forwarded-for': list })])).toThrow(
      'State which',
    )
    expect(() => clientOf([json({ ip: list })])).toThrow('several addresses')
  })

  test('of the connection is the client if the user says so', () => {
    const line = combined('10.0.0.2', ` "${list}"`)
    expect(clientOf([line], { address: 'remote' })).toBe('10.0.0.2')
    expect(clientOf([combined('10.0.0.2', ' "-"')], { address: 2 })).toBe('10.0.0.2')
  })

  test('a list is no key', () => {
    const { has } = detectFormat('a.log', combined('10.0.0.2', ` "${list}"`), { address: 2 })
    expect(() => has('header.x-forwarded-for')).toThrow('which is not a key')
  })

  test.each<readonly [readonly string[], number | undefined]>([
    [['192.0.2.1, 10.0.0.1', '192.0.2.9, 192.0.2.1, 10.0.0.2'], 2],
    [['192.0.2.1, 10.0.0.9, 10.0.0.1', '192.0.2.1, 10.0.0.9, 10.0.0.2'], 3],
    [['192.0.2.1', '192.0.2.1'], 1],
    [['192.0.2.1', '192.0.2.1, 10.0.0.1'], undefined],
    [['-', '192.0.2.1, 10.0.0.1'], undefined],
  ])('the key of lists %j is the first entry that all have: %s', (lists, entry) => {
    const lines = lists.map((one) => combined('10.0.0.2', ` "${one}"`))
    const log = detectFormat('a.log', lines.join('\n'), {})
    expect(log.listEntry).toBe(entry)
    if (entry === undefined) {
      expect(() => log.hasKey('header.x-forwarded-for')).toThrow('State which one counts')
      return
    }
    expect(log.hasKey('header.x-forwarded-for')).toBe(true)
    const reader = log.open()
    const key = keyReader('header.x-forwarded-for')
    const keys = lines.map((one) => {
      const reading = reader.read(one)
      return typeof reading === 'object' && 'address' in reading ? key.read(reading) : reading
    })
    expect(keys).toEqual(['192.0.2.1', '192.0.2.1'])
  })

  test('of a list is the entry that the format names', () => {
    const logFormat = `${combinedFormat} "$client, $proxy"`
    const lines = ['192.0.2.1, 10.0.0.1', list].map((one) => combined('10.0.0.2', ` "${one}"`))
    for (const line of lines) expect(clientOf([line], { logFormat })).toBe('192.0.2.1')
    expect(clientOf(lines, { logFormat, address: 'last' })).toBe('10.0.0.1')
    expect(clientOf(lines, { logFormat, address: 'remote' })).toBe('10.0.0.2')
    const log = detectFormat('a.log', lines.join('\n'), { logFormat })
    const reading = log.open().read(lines[1])
    const record = typeof reading === 'object' && 'address' in reading ? reading : undefined
    expect(record?.field('client')).toBe('192.0.2.1')
    expect(record?.field('proxy')).toBe('10.0.0.1')
  })

  test.each([
    ['a prefix of Docker', (line: string) => `web_1  | ${line}`],
    ['a prefix of syslog', (line: string) => `Nov 20 09:00:00 host nginx: ${line}`],
    ['a prefix of containerd', (line: string) => `2026-11-20T09:00:00.1Z stdout F ${line}`],
    ['another address', (line: string) => `10.0.0.5 ${line}`],
    ['a host name in its place', (line: string) => line.replace('192.0.2.1', 'client.example')],
    ['a unix socket in its place', (line: string) => line.replace('192.0.2.1', 'unix:')],
    ['tabs', (line: string) => line.replaceAll(' ', '\t')],
    ['a number after it', (line: string) => `${line} 12345`],
  ])('a line with %s is an error', (_, change) => {
    expect(() => clientOf([change(combined('192.0.2.1'))])).toThrow(/stops fitting|two addresses/)
  })

  test('two names in JSON with different addresses are an error, unless one is stated', () => {
    const line = json({ ip: '10.0.0.1', remote_addr: '192.0.2.1' })
    expect(() => clientOf([line])).toThrow('the format json: different addresses')
    expect(clientOf([line], { fields: { ip: 'remote_addr' } })).toBe('192.0.2.1')
  })
})
