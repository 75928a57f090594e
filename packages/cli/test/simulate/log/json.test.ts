import { describe, expect, test } from 'vitest'
import { cut, fieldsOf, jsonReader, time } from './lines.js'

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
    expect(fieldsOf(cut(jsonReader({}), JSON.stringify(line)))).toEqual({ ...common, ...expected })
  })

  test('reads the next name if the value of a name is null', () => {
    const line = { time: null, ts: time, ip: null, remote_addr: '192.0.2.1', method: 'GET' }
    const record = cut(jsonReader({}), JSON.stringify({ ...line, url: '/', status: 200 }))
    expect(fieldsOf(record)).toMatchObject({ time, ip: '192.0.2.1' })
  })

  test('reads a field that was named by no other name', () => {
    const line = { time, ip: '192.0.2.1', user: 'alice', method: 'GET', url: '/', status: 200 }
    const record = cut(jsonReader({ ip: 'client' }), JSON.stringify(line))
    expect(fieldsOf(record)).toMatchObject({ user: 'alice' })
    expect(fieldsOf(record)).not.toHaveProperty('ip')
  })

  test('reads a name with dots before the path of that name', () => {
    const line = { 'client.address': '192.0.2.1', client: { address: '192.0.2.9' } }
    const rest = { time, method: 'GET', url: '/', status: 200 }
    const cutter = jsonReader({ ip: 'client.address' })
    expect(fieldsOf(cut(cutter, JSON.stringify({ ...line, ...rest })))).toMatchObject({
      ip: '192.0.2.1',
    })
  })

  test('reads the fields that were named', () => {
    const cutter = jsonReader({ time: 'when', ip: 'client.address', user: 'account.id' })
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
    expect(fieldsOf(record)).toMatchObject({ time, ip: '192.0.2.1', user: '42' })
  })

  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['192.0.2.1:4711', '192.0.2.1'],
    ['2001:db8::1', '2001:db8::1'],
    ['[2001:db8::1]:4711', '2001:db8::1'],
  ])('reads the address %s as %s', (address, ip) => {
    const line = JSON.stringify({ time, ip: address, method: 'GET', url: '/', status: 200 })
    expect(fieldsOf(cut(jsonReader({}), line))).toMatchObject({ ip })
  })

  test.each([
    ['bad: no JSON object', '{"time":'],
    ['bad: no JSON object', 'hello'],
    ['not HTTP', '{"method":"GET"}'],
    ['bad: no time', '{"method":"GET","url":"/","status":200}'],
    ['bad: no path', `{"time":${time},"method":"GET","url":"search","status":200}`],
    ['not HTTP', `{"time":${time}}`],
    ['bad: no status', `{"time":${time},"method":"GET","url":"/"}`],
  ])('gives the reason %j for %s', (reason, line) => {
    expect(cut(jsonReader({}), line)).toBe(reason)
  })
})
