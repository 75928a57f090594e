import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { albCutter } from '../../src/simulate/cut/alb.js'
import { combinedCutter } from '../../src/simulate/cut/combined.js'
import { jsonCutter } from '../../src/simulate/cut/json.js'
import { nginxCutter } from '../../src/simulate/cut/nginx.js'
import type { Cutter, LogRecord } from '../../src/simulate/cut/record.js'
import { w3cCutter } from '../../src/simulate/cut/w3c.js'

const time = Date.UTC(2026, 10, 20, 12, 30, 15)
const request = '[20/Nov/2026:12:30:15 +0000] "GET /a?b=1 HTTP/1.1" 200 5'
const quoted = '"https://example.com/" "curl/8.0"'

/** The line between two others, as the replay passes it. */
function cut(cutter: Cutter, line: string): LogRecord | string {
  const bytes = Buffer.from(line, 'utf8').toString('latin1')
  return cutter.cut(`before\n${bytes}\nafter "x" [x] "y"`, 7, 7 + bytes.length)
}

function fieldsOf(record: LogRecord | string): unknown {
  if (typeof record === 'string') return record
  const { time, method, url, status, ip, user, bytes, durationMs, host } = record
  const given = {
    time,
    method,
    url,
    status,
    ip,
    user,
    bytes,
    durationMs,
    host,
    agent: record.header('user-agent'),
    referer: record.header('referer'),
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

const plain = { time, method: 'GET', url: '/a?b=1', status: 200, ip: '192.0.2.1' }

const whole = {
  ...plain,
  bytes: 5,
  referer: 'https://example.com/',
  agent: 'curl/8.0',
}

describe('combined', () => {
  test.each<readonly [string, string, object | string]>([
    ['a line of Apache', `192.0.2.1 - - ${request} ${quoted}`, whole],
    [
      'a host name',
      `client.example.com - - ${request} ${quoted}`,
      { ...whole, ip: 'client.example.com' },
    ],
    [
      'a user with a space',
      `192.0.2.1 - Alice B ${request} ${quoted}`,
      { ...whole, user: 'Alice B' },
    ],
    [
      'a leap second',
      `192.0.2.1 - - ${request.replace('12:30:15', '23:59:60')} ${quoted}`,
      { ...whole, time: Date.UTC(2026, 10, 21) },
    ],
    [
      'an empty agent',
      `192.0.2.1 - - ${request} "-" ""`,
      { ...whole, referer: undefined, agent: undefined },
    ],
    [
      'escaped bytes of UTF-8',
      String.raw`192.0.2.1 - - ${request} "-" "\xc3\xa9"`,
      { ...whole, referer: undefined, agent: 'é' },
    ],
    [
      'a space in the path',
      `192.0.2.1 - - ${request.replace('/a?b=1', '/a b')} ${quoted}`,
      { ...whole, url: '/a b' },
    ],
    ['fields after the agent', `192.0.2.1 - - ${request} ${quoted} "203.0.113.9" 0.005`, whole],
    ['HTTP/2', `192.0.2.1 - - ${request.replace('HTTP/1.1', 'HTTP/2.0')} ${quoted}`, whole],
    [
      'bytes of TLS',
      String.raw`192.0.2.1 - - [20/Nov/2026:12:30:15 +0000] "\x16\x03\x01" 400 150 "-" "-"`,
      'not HTTP',
    ],
    ['no request', '192.0.2.1 - - [20/Nov/2026:12:30:15 +0000] "-" 408 0 "-" "-"', 'not HTTP'],
    ['an unknown month', `192.0.2.1 - - ${request.replace('Nov', 'Nox')} ${quoted}`, 'no time'],
    ['an hour after 23', `192.0.2.1 - - ${request.replace('12:30', '25:30')} ${quoted}`, 'no time'],
    ['no time', `192.0.2.1 - - "GET / HTTP/1.1" 200 5 ${quoted}`, 'no time'],
    ['no status', `192.0.2.1 - - ${request.replace(' 200 5', ' - -')} ${quoted}`, 'no status'],
    [
      'no closing quote',
      '192.0.2.1 - - [20/Nov/2026:12:30:15 +0000] "GET / HTTP/1.1',
      'no request',
    ],
    ['one word', 'hello', 'no fields'],
  ])('reads %s', (_, line, expected) => {
    const defined =
      typeof expected === 'string'
        ? expected
        : Object.fromEntries(Object.entries(expected).filter(([, value]) => value !== undefined))
    expect(fieldsOf(cut(combinedCutter(), line))).toEqual(defined)
  })

  test('reads the common format, which has no referer and no agent', () => {
    const { agent: _agent, referer: _referer, ...common } = whole
    expect(fieldsOf(cut(combinedCutter('common'), `192.0.2.1 - - ${request}`))).toEqual(common)
    expect(combinedCutter('common').has('header.user-agent')).toBe(false)
  })

  test('reads bytes that are not UTF-8 as replacement characters', () => {
    const line = `192.0.2.1 - - ${request} "-" "\xff"`
    const record = combinedCutter().cut(line, 0, line.length)
    expect(typeof record === 'string' ? record : record.header('user-agent')).toBe('\ufffd')
  })
})

describe('json', () => {
  test.each<readonly [string, object, object]>([
    [
      'nginx with escape=json',
      {
        time_iso8601: '2026-11-20T12:30:15+00:00',
        remote_addr: '192.0.2.1',
        request: 'GET /a?b=1 HTTP/1.1',
        status: '200',
        request_time: '0.250',
        http_user_agent: 'curl/8.0',
        host: 'example.com',
      },
      { time, durationMs: 250, ip: '192.0.2.1', agent: 'curl/8.0', host: 'example.com' },
    ],
    [
      'Caddy',
      {
        ts: time / 1000,
        request: {
          remote_ip: '192.0.2.1',
          client_ip: '192.0.2.1',
          method: 'GET',
          host: 'example.com',
          uri: '/a?b=1',
          headers: { 'User-Agent': ['curl/8.0'] },
        },
        duration: 0.25,
        size: 5,
        status: 200,
      },
      { time, durationMs: 250, ip: '192.0.2.1', bytes: 5, agent: 'curl/8.0', host: 'example.com' },
    ],
    [
      'Traefik',
      {
        ClientHost: '192.0.2.1',
        DownstreamStatus: 200,
        Duration: 250_000_000,
        RequestMethod: 'GET',
        RequestPath: '/a?b=1',
        RequestHost: 'example.com',
        StartUTC: '2026-11-20T12:30:14.750123456Z',
        time: undefined,
        'request_User-Agent': 'curl/8.0',
      },
      { time, durationMs: 250, ip: '192.0.2.1', agent: 'curl/8.0', host: 'example.com' },
    ],
    [
      'Envoy',
      {
        start_time: '2026-11-20T12:30:14.750Z',
        duration: 250,
        method: 'GET',
        path: '/a?b=1',
        response_code: 200,
        downstream_remote_address: '192.0.2.1:4711',
        authority: 'example.com',
        user_agent: 'curl/8.0',
      },
      { time, durationMs: 250, ip: '192.0.2.1', agent: 'curl/8.0', host: 'example.com' },
    ],
    [
      'pino-http',
      {
        level: 30,
        time,
        req: {
          method: 'GET',
          url: '/a?b=1',
          headers: { host: 'example.com', 'user-agent': 'curl/8.0' },
          remoteAddress: '192.0.2.1',
        },
        res: { statusCode: 200 },
        responseTime: 250,
      },
      { time, durationMs: 250, ip: '192.0.2.1', agent: 'curl/8.0', host: 'example.com' },
    ],
  ])('reads %s', (_, line, expected) => {
    const common = { method: 'GET', url: '/a?b=1', status: 200 }
    expect(fieldsOf(cut(jsonCutter({}), JSON.stringify(line)))).toEqual({ ...common, ...expected })
  })

  test('reads the fields that were named', () => {
    const cutter = jsonCutter({ time: 'when', ip: 'client.address', user: 'account.id' })
    const record = cut(
      cutter,
      JSON.stringify({
        when: time,
        client: { address: '192.0.2.1' },
        account: { id: 42 },
        method: 'GET',
        url: '/',
        status: 200,
      }),
    )
    expect(record).toMatchObject({ time, ip: '192.0.2.1', user: '42' })
  })

  test.each([
    ['not JSON', '{"time":'],
    ['not JSON', 'hello'],
    ['no time', '{"method":"GET"}'],
    ['not HTTP', `{"time":${time}}`],
    ['no status', `{"time":${time},"method":"GET","url":"/"}`],
  ])('gives the reason %j for %s', (reason, line) => {
    expect(cut(jsonCutter({}), line)).toBe(reason)
  })
})

test('alb: replays a request when it arrived', () => {
  const line =
    'https 2026-11-20T12:30:15.250000Z app/web/50dc6c495c0c9188 192.0.2.1:2817 10.0.0.1:80 0.000 0.250 0.000 200 200 34 366 ' +
    '"GET https://example.com:443/a?b=1 HTTP/1.1" "curl/8.0" ECDHE TLSv1.2 arn:aws:x "Root=1-2" "example.com" "arn:aws:y" 1 2026-11-20T12:30:15.000000Z "forward" "-" "-"'
  expect(fieldsOf(cut(albCutter(), line))).toEqual({
    ...plain,
    time: time + 250,
    durationMs: 250,
    host: 'example.com',
    bytes: 366,
    agent: 'curl/8.0',
  })
})

describe('nginx', () => {
  test('reads a log_format', () => {
    const cutter = nginxCutter(
      '$remote_addr $host [$time_local] "$request" $status $request_time "$http_user_agent" uid=$cookie_uid',
    )
    const record = cut(
      cutter,
      '192.0.2.1 example.com [20/Nov/2026:12:30:15 +0000] "GET /a?b=1 HTTP/1.1" 200 0.250 "curl/8.0" uid=7',
    )
    expect(fieldsOf(record)).toEqual({
      ...plain,
      durationMs: 250,
      host: 'example.com',
      agent: 'curl/8.0',
    })
    expect(typeof record === 'string' ? record : record.field('cookie_uid')).toBe('7')
    expect(cutter.has('header.user-agent')).toBe(true)
    expect(cutter.has('header.x-api-key')).toBe(false)
  })

  test.each([
    ['$remote_addr$status', 'need text between them'],
    ['$remote_addr $status "$request"', 'needs $msec, $time_iso8601 or $time_local'],
    ['$msec $status', 'needs $request, or $request_method and $request_uri'],
  ])('refuses %s', (logFormat, message) => {
    expect(() => nginxCutter(logFormat)).toThrow(message)
  })
})

describe('w3c', () => {
  test('reads the fields that the log names', () => {
    const cutter = w3cCutter('w3c')
    expect(
      cut(
        cutter,
        '#Fields: date time c-ip cs-username cs-method cs-uri-stem cs-uri-query sc-status cs(User-Agent) time-taken',
      ),
    ).toBe('')
    expect(
      fieldsOf(cut(cutter, '2026-11-20 12:30:15 192.0.2.1 - GET /a b=1 200 curl/8.0+(x) 250')),
    ).toEqual({ ...plain, durationMs: 250, agent: 'curl/8.0 (x)' })
    expect(cutter.has('host')).toBe(false)
  })

  test('reads a log of CloudFront', () => {
    const cutter = w3cCutter('cloudfront')
    cut(
      cutter,
      '#Fields: date time c-ip cs-method cs(Host) cs-uri-stem sc-status cs(User-Agent) cs-uri-query time-taken',
    )
    expect(
      fieldsOf(
        cut(
          cutter,
          [
            '2026-11-20',
            '12:30:15',
            '2001:db8::1',
            'GET',
            'd1.example',
            '/a',
            '200',
            'curl%2F8.0',
            '-',
            '0.250',
          ].join('\t'),
        ),
      ),
    ).toMatchObject({
      time,
      durationMs: 250,
      url: '/a',
      ip: '2001:db8::1',
      host: 'd1.example',
      agent: 'curl/8.0',
    })
  })
})

const cutters: readonly (() => Cutter)[] = [
  () => combinedCutter(),
  () => combinedCutter('common'),
  () => jsonCutter({}),
  albCutter,
  () => nginxCutter('$remote_addr [$time_local] "$request" $status $request_time "$http_referer"'),
  () => w3cCutter('w3c'),
]
const samples = [
  `192.0.2.1 - - ${request} ${quoted}`,
  `{"time":${time},"method":"GET","url":"/","status":200,"headers":{"user-agent":["x"]}}`,
  '#Fields: date time c-ip cs-method cs-uri-stem sc-status\n2026-11-20 12:30:15 192.0.2.1 GET / 200',
]

test('no cutter throws, and no record throws when it is read, whatever the bytes', () => {
  const bytes = fc
    .uint8Array({ maxLength: 200 })
    .map((array) => Buffer.from(array).toString('latin1'))
  const damaged = fc
    .tuple(fc.constantFrom(...samples), fc.nat(120), fc.nat(20), bytes)
    .map(
      ([line, at, length, inserted]) =>
        line.slice(0, at) + inserted.slice(0, 8) + line.slice(at + length),
    )
  fc.assert(
    fc.property(fc.oneof(bytes, damaged), fc.nat(10), (text, skipped) => {
      for (const create of cutters) {
        const cutter = create()
        for (const line of text.split('\n')) {
          const record = cutter.cut(line, 0, line.length)
          fieldsOf(record)
          cutter.cut(line, Math.min(skipped, line.length), line.length)
          if (typeof record !== 'string') expect(Number.isSafeInteger(record.time)).toBe(true)
        }
      }
    }),
    { numRuns: 5000 },
  )
})
