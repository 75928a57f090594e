import { describe, expect, test } from 'vitest'
import { cut, fieldsOf, plain, readerOf } from './lines.js'

describe('nginx', () => {
  test('reads a log_format', () => {
    const cutter = readerOf(
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
    expect(() => readerOf(logFormat)).toThrow(message)
  })
})
