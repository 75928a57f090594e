import { expect, test } from 'vitest'
import { cut, fieldsOf, plain, readerOf, time } from './lines.js'

test('alb: the status is that of the client, also if the target has none', () => {
  const line =
    'http 2026-11-20T12:30:15.250000Z app/web/50 192.0.2.1:2817 - -1 -1 -1 504 - 34 366 "GET http://example.com:80/ HTTP/1.1" "-" - - - "-" "-" "-" 0 2026-11-20T12:30:15.000000Z'
  expect(fieldsOf(cut(readerOf('alb'), line))).toMatchObject({ status: 504, url: '/' })
})

test('alb: replays a request when it arrived', () => {
  const line =
    'https 2026-11-20T12:30:15.250000Z app/web/50dc6c495c0c9188 192.0.2.1:2817 10.0.0.1:80 0.000 0.250 0.000 200 200 34 366 ' +
    '"GET https://example.com:443/a?b=1 HTTP/1.1" "curl/8.0" ECDHE TLSv1.2 arn:aws:x "Root=1-2" "example.com" "arn:aws:y" 1 2026-11-20T12:30:15.000000Z "forward" "-" "-"'
  expect(fieldsOf(cut(readerOf('alb'), line))).toEqual({
    ...plain,
    time: time + 250,
    durationMs: 250,
    host: 'example.com',
    bytes: 366,
    agent: 'curl/8.0',
  })
})
