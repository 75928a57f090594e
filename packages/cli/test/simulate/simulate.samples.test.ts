import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { slidingWindow } from '@sluice/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '@sluice/test-kit/random'
import type { LogRecord } from '../../src/simulate/log/record.js'
import { simulate, type Report } from '../../src/simulate/index.js'
import { readingOf } from './log/lines.js'
import { formatOptions, formats, type Logged, type LogFormat } from './formats.js'
import { start } from './logs.js'

const usual: Logged = {
  time: start + 45_015_000,
  zone: 0,
  durationMs: 250,
  ip: '192.0.2.1',
  host: 'example.com',
  user: 'alice',
  method: 'GET',
  url: '/a?b=1',
  status: 200,
  bytes: 5,
  agent: 'curl/8.0',
  referer: 'https://example.com/',
}

/** Texts in UTF-8 as bytes. */
const utf8 = (text: string): string => Buffer.from(text).toString('latin1')

/** Requests that every format can write. */
const samples: readonly (readonly [string, Partial<Logged>])[] = [
  ['a usual request', {}],
  ['an IPv6 address', { ip: '2001:db8::1' }],
  ['a full IPv6 address', { ip: '2001:db8:0:1:aaaa:bbbb:cccc:dddd' }],
  ['the IPv6 loopback', { ip: '::1' }],
  ['an IPv4 address in IPv6', { ip: '::ffff:192.0.2.1' }],
  ['no user', { user: undefined }],
  ['an e-mail address as user', { user: 'alice@example.com' }],
  ['a user in UTF-8', { user: utf8('zoë') }],
  ['POST', { method: 'POST', status: 201 }],
  ['HEAD', { method: 'HEAD', bytes: 0 }],
  ['OPTIONS', { method: 'OPTIONS', status: 204 }],
  ['a method of WebDAV', { method: 'PROPFIND', status: 207 }],
  ['status 101', { status: 101 }],
  ['status 304 without bytes', { status: 304, bytes: undefined }],
  ['status 429', { status: 429 }],
  ['status 499 of nginx', { status: 499, bytes: 0 }],
  ['status 503', { status: 503 }],
  ['5 GB', { bytes: 5_000_000_000 }],
  ['the root', { url: '/' }],
  ['a path without a query', { url: '/a/b/c' }],
  ['an encoded path', { url: '/%C3%A9/a%20b/%22' }],
  ['a path in UTF-8', { url: utf8('/é') }],
  ['a quote in the path', { url: '/a"b' }],
  ['a backslash in the path', { url: '/a\\b' }],
  ['a bracket in the path', { url: '/a[0]?b[]=1' }],
  ['two question marks', { url: '/a?b=1?c=2' }],
  ['a URL in the query', { url: '/go?to=https://example.com/x' }],
  ['two slashes', { url: '//a' }],
  ['a path of 8,000 characters', { url: `/${'a'.repeat(7999)}` }],
  ['no user agent', { agent: undefined }],
  ['no referer', { referer: undefined }],
  ['no referer and no user agent', { referer: undefined, agent: undefined }],
  ['spaces in the user agent', { agent: 'Mozilla/5.0 (X11; Linux x86_64) Gecko' }],
  ['quotes in the user agent', { agent: 'a"b"c' }],
  ['a user agent that ends with a backslash', { agent: 'a\\' }],
  ['a user agent that looks like an escape', { agent: 'a\\x41' }],
  ['a user agent in UTF-8', { agent: utf8('日本語') }],
  ['an emoji in the user agent', { agent: utf8('a😀') }],
  ['a byte that is not UTF-8', { agent: 'a\xff' }],
  ['half of a character of UTF-8', { agent: 'a\xc3' }],
  ['a percent sign in the user agent', { agent: '100%' }],
  ['brackets in the user agent', { agent: '[bot]' }],
  ['the start of a year', { time: Date.UTC(2027, 0, 1) }],
  ['the last second of a year', { time: Date.UTC(2026, 11, 31, 23, 59, 59) }],
  ['a leap day', { time: Date.UTC(2028, 1, 29, 12) }],
  ['the last second of summer time', { time: Date.UTC(2026, 9, 25, 0, 59, 59), zone: 120 }],
  ['the first second of winter time', { time: Date.UTC(2026, 9, 25, 1), zone: 60 }],
  ['the first second of summer time', { time: Date.UTC(2026, 2, 29, 1), zone: 120 }],
  ['a zone of half an hour', { zone: 330 }],
  ['a zone west of UTC', { zone: -210 }],
  ['a request of no duration', { durationMs: 0 }],
  ['a request of an hour', { durationMs: 3_600_000 }],
]

function cut(format: LogFormat, line: string): LogRecord | string {
  const reader = format.createReader()
  let last: LogRecord | string = ''
  for (const part of `${format.head}${line}`.split('\n')) last = readingOf(reader, part)
  return last
}

/** The fields of a record that the format has. */
function fieldsOf({ fields }: LogFormat, record: LogRecord | string): unknown {
  if (typeof record === 'string') return record
  const all = {
    ...pick(record),
    agent: record.header('user-agent'),
    referer: record.header('referer'),
  }
  return Object.fromEntries(fields.map((field) => [field, all[field]]))
}

function pick({ time, durationMs, address, host, user, method, url, status, bytes }: LogRecord) {
  return { time, durationMs, ip: address?.text, host, user, method, url, status, bytes }
}

function expected({ fields }: LogFormat, request: Logged): unknown {
  const decoded = (value: unknown): unknown =>
    typeof value === 'string' ? Buffer.from(value, 'latin1').toString('utf8') : value
  return Object.fromEntries(fields.map((field) => [field, decoded(request[field])]))
}

/** Lines that are not requests, and the reason why they are skipped. */
const skipped: Readonly<Record<string, readonly (readonly [line: string, reason: string])[]>> = {
  combined: [
    ['', 'bad: no " - " after remote_addr'],
    ['192.0.2.1 - - [31/Feb/2026:12:30:15 +0000] "GET / HTTP/1.1" 200 5 "-" "-"', 'bad: no time'],
    ['192.0.2.1 - - [20/Nov/2026:12:30:15 +0000] "GET /" 200 5 "-" "-"', 'not HTTP'],
    [
      '192.0.2.1 - - [20/Nov/2026:12:30:15 +0000] "GET / HTTP/1.1" 200 5',
      String.raw`bad: no " \"" after body_bytes_sent`,
    ],
  ],
  common: [
    ['192.0.2.1 - - [20/Nov/2026:12:30:15] "GET / HTTP/1.1" 200 5', 'bad: no time'],
    ['192.0.2.1 - - [20/Nov/2026:12:30:15 +0000] "GET / HTTP/1.1" 20 5', 'bad: no status'],
    [
      '192.0.2.1 - - [20/Nov/2026:12:30:15 +0000] "GET / HTTP/1.1" 200 x',
      'bad: no number of bytes',
    ],
  ],
  json: [
    ['[]', 'bad: no JSON object'],
    ['null', 'bad: no JSON object'],
    ['{"time":"2026-02-31T12:00:00Z","method":"GET","url":"/","status":200}', 'bad: no time'],
    ['{"time":"2026-11-20T12:30:15Z","method":"GET","url":"/","status":"x"}', 'bad: no status'],
  ],
  alb: [
    ['https 2026-11-20T12:30:15.250000Z app/web/50 192.0.2.1:2817', 'bad: no " " after client'],
    [
      'http 2026-11-20T12:30:15.250000Z app/web/50 192.0.2.1:2817 - -1 -1 -1 400 - 0 0 "- http://example.com:80- -" "-" - - - "-" "-" "-" - 2026-11-20T12:30:15.000000Z',
      'not HTTP',
    ],
  ],
  cloudfront: [['2026-11-20\t12:30:15\tSFO5', String.raw`bad: no "\t" after x-edge-location`]],
  w3c: [['2026-11-20 12:30:15 10.0.0.1', 'bad: no " " after s-ip']],
  nginx: [
    ['hello', 'bad: no " " after remote_addr'],
    ['192.0.2.1 - example.com [2026-11-20T12:30:15+00:00] "" 400 0 0.000 "-" "-"', 'not HTTP'],
  ],
}

describe.each(formats)('$name', (format) => {
  test.each(samples)('reads %s', (_, changes) => {
    const request = { ...usual, ...changes }
    expect(fieldsOf(format, cut(format, format.write(request)))).toEqual(expected(format, request))
  })

  test.each(skipped[format.name])('skips %s', (line, reason) => {
    expect(cut(format, line)).toBe(reason)
  })

  test('no damaged line throws', () => {
    const lines = samples.map(([, changes]) => format.write({ ...usual, ...changes }))
    const bytes = fc
      .uint8Array({ maxLength: 12 })
      .map((array) => Buffer.from(array).toString('latin1'))
    const damage = fc.tuple(fc.constantFrom(...lines), fc.nat(400), fc.nat(30), bytes)
    fc.assert(
      fc.property(damage, ([line, at, length, inserted]) => {
        const damaged = (line.slice(0, at) + inserted + line.slice(at + length)).replaceAll(
          '\n',
          ' ',
        )
        fieldsOf(format, cut(format, damaged))
      }),
      { numRuns: runs(1000) },
    )
  })

  const variants = { only: { policies: slidingWindow({ limit: 10, window: '1m' }) } }
  const requests = Array.from({ length: 400 }, (_, i) => ({
    ...usual,
    time: start + i * 1000,
    ip: `192.0.2.${i % 3}`,
    url: `/${(i * 7919) % 400}`,
  }))
  const log = `${format.head}${requests.map((request) => `${format.write(request)}\n`).join('')}`

  async function replayed(...chunks: readonly Buffer[]): Promise<Report> {
    return simulate({ log: Readable.from(chunks), variants, ...formatOptions(format) })
  }

  test('is recognized, and its requests are replayed', async () => {
    const report = await replayed(Buffer.from(log, 'latin1'))
    const time = format.fields.includes('durationMs') ? 'arrival' : 'end'
    expect(report.log).toMatchObject({ format: format.name, lines: 400, skipped: {}, time })
    expect(report.variants[0].denied).toBeGreaterThan(100)
  })

  test('gives the same report with CRLF', async () => {
    const plain = await replayed(Buffer.from(log, 'latin1'))
    expect(await replayed(Buffer.from(log.replaceAll('\n', '\r\n'), 'latin1'))).toEqual(plain)
  })

  test('skips and counts a line of more than 1 MB', async () => {
    const long = format.write({ ...usual, url: `/${'a'.repeat(1_000_000)}` })
    const { log: read } = await replayed(Buffer.from(`${log}${long}\n`, 'latin1'))
    expect(read).toMatchObject({ lines: 401, skipped: { 'too long': 1 } })
  })

  test('reads a truncated gzip file up to its end', async () => {
    const compressed = gzipSync(Buffer.from(log, 'latin1'), { level: 1 })
    const { log: read } = await replayed(compressed.subarray(0, compressed.length - 300))
    expect(read.truncated).toBe(true)
    expect(read.lines).toBeGreaterThan(100)
    expect(read.lines).toBeLessThan(401)
  })
})
