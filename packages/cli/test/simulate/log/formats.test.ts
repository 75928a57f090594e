import { expect, test } from 'vitest'
import { detectFormat } from '../../../src/simulate/log/detect.js'
import { fieldsOf, readingOf } from './lines.js'

// Lines from the pages of the vendors.
test.each([
  [
    'envoy',
    '10.44.1.23',
    '[2020-11-25T21:26:18.409Z] "GET /status/418 HTTP/1.1" 418 - via_upstream - "-" 0 135 3 1 "-" "curl/7.73.0-DEV" "84961386-6d84-929d-98bd-c5aee93b5c88" "httpbin:8000" "127.0.0.1:80" inbound|8000|| 127.0.0.1:41854 10.44.1.27:80 10.44.1.23:37652 outbound_.8000_._.httpbin.foo.svc.cluster.local default',
  ],
  [
    'heroku',
    '204.204.204.204',
    '2012-10-11T03:47:20+00:00 heroku[router]: at=info method=GET path=/ host=myapp.herokuapp.com fwd="204.204.204.204" dyno=web.1 connect=1ms service=18ms status=200 bytes=13',
  ],
  [
    'heroku',
    '204.204.204.204',
    '2012-10-11T03:47:20+00:00 heroku[router]: at=error code=H12 desc="Request timeout" method=GET path=/ host=myapp.herokuapp.com fwd="204.204.204.204" dyno=web.1 connect= service=30000ms status=503 bytes=0',
  ],
  [
    'haproxy',
    '10.0.1.2',
    'Feb  6 12:14:14 localhost haproxy[14389]: 10.0.1.2:33317 [06/Feb/2009:12:14:14.655] http-in static/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 {1wt.eu} {} "GET /index.html HTTP/1.1"',
  ],
  [
    'haproxy',
    '192.168.103.203',
    '<134>Feb  8 11:44:00 haproxy[888]: 192.168.103.203:37776 [08/Feb/2021:11:44:00.092] in-75-m-local -mobile/app 1/0/0/4/5 200 268 - - ---- 2128/102/41/5/0 0/0 "GET / HTTP/1.1"',
  ],
  [
    'w3c',
    '172.22.255.255',
    '#Software: Microsoft Internet Information Services 6.0\n#Fields: date time c-ip cs-username s-ip s-port cs-method cs-uri-stem cs-uri-query sc-status cs(User-Agent)\n2002-05-02 17:42:15 172.22.255.255 - 172.30.255.255 80 GET /images/picture.jpg - 200 Mozilla/4.0+(compatible;MSIE+5.5;+Windows+2000+Server)',
  ],
])('%s: the address of the client is %s', (format, ip, text) => {
  const log = detectFormat('a.log', text, {})
  expect(log.format).toBe(format)
  const reader = log.open()
  const readings = text.split('\n').map((line) => readingOf(reader, line))
  expect(fieldsOf(readings.at(-1) ?? '')).toMatchObject({ ip, method: 'GET' })
})
