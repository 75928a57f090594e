import { expect, test } from 'vitest'
import { detectFormat } from '../../../src/simulate/log/detect.js'

/** The `--log-format` that the error for an unknown log proposes. */
function proposed(line: string): string | undefined {
  try {
    detectFormat('a.log', line, {})
  } catch (error) {
    return /--log-format '([^']+)'/.exec(String(error))?.[1]
  }
  throw new Error('the log has a known format')
}

test.each([
  [
    'shop 203.0.113.9 - - [20/Nov/2026:09:00:00 +0000] "GET /x HTTP/1.1" 200 512 "-" "curl/8" 0.123 up=10.0.0.1',
    '$field_1 $remote_addr - - [$time_local] "$request" $status $body_bytes_sent "$field_7" "$field_8" $field_9 $field_10',
  ],
  ['2026-11-20T09:00:00Z 2001:db8::1 200 "GET /x HTTP/1.1"', undefined],
  [
    '2026-11-20T09:00:00Z | 2001:db8::1 | "GET /x HTTP/1.1" 404',
    '$time_iso8601 $field_2 $remote_addr $field_4 "$request" $status',
  ],
  // 346 is no status: the column of the status has another value.
  ['10.0.0.1 - - [23/May/2022:14:50:37 +0800] "POST /x HTTP/1.1" code=1 346 "-"', undefined],
  [
    '10.0.0.1 [20/Nov/2026:09:00:00 +0000] "GET / HTTP/1.1" 200 5 "shop" "192.0.2.1, 10.0.0.2"',
    '$remote_addr [$time_local] "$request" $status $body_bytes_sent "$field_6" "$http_x_forwarded_for"',
  ],
])('an error for an unknown log proposes a format that reads its line: %s', (line, format) => {
  expect(proposed(line)).toBe(format)
  if (format === undefined) return
  const log = detectFormat('a.log', line, { logFormat: format })
  expect(log.open().read(line)).toMatchObject({ time: Date.UTC(2026, 10, 20, 9) })
})
