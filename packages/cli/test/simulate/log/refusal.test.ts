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
    '$field_1 $remote_addr - - [$time_local] "$request" $status $body_bytes_sent "$field_7" "$field_8" $request_time $field_10',
  ],
  ['2026-11-20T09:00:00Z 2001:db8::1 200 "GET /x HTTP/1.1"', undefined],
  [
    '2026-11-20T09:00:00Z | 2001:db8::1 | "GET /x HTTP/1.1" | 404',
    '$time_iso8601 $field_2 $remote_addr $field_4 "$request" $field_6 $status',
  ],
])('an error for an unknown log proposes a format that reads its line: %s', (line, format) => {
  expect(proposed(line)).toBe(format)
  if (format === undefined) return
  const log = detectFormat('a.log', line, { logFormat: format })
  expect(log.open().read(line)).toMatchObject({ time: Date.UTC(2026, 10, 20, 9) })
})
