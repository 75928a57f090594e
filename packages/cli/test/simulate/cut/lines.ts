import type { Cutter, LogRecord } from '../../../src/simulate/cut/record.js'

export const time = Date.UTC(2026, 10, 20, 12, 30, 15)
export const request = '[20/Nov/2026:12:30:15 +0000] "GET /a?b=1 HTTP/1.1" 200 5'
export const quoted = '"https://example.com/" "curl/8.0"'

/** The fields that all formats have. */
export const plain = { time, method: 'GET', url: '/a?b=1', status: 200, ip: '192.0.2.1' }

/** The line between two others, as the replay passes it. */
export function cut(cutter: Cutter, line: string): LogRecord | string {
  const bytes = Buffer.from(line, 'utf8').toString('latin1')
  return cutter.cut(`before\n${bytes}\nafter "x" [x] "y"`, 7, 7 + bytes.length)
}

/** The fields that a record has; the reason of a line without one. */
export function fieldsOf(record: LogRecord | string): unknown {
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
