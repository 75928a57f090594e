import { describe, expect, test } from 'vitest'
import { cut, fieldsOf, plain, quoted, readerOf, readingOf, request } from './lines.js'

const whole = {
  ...plain,
  bytes: 5,
  referer: 'https://example.com/',
  agent: 'curl/8.0',
}

describe('combined', () => {
  test.each<readonly [string, string, object | string]>([
    ['a line of Apache', `192.0.2.1 - - ${request} ${quoted}`, whole],
    ['a host name', `client.example.com - - ${request} ${quoted}`, 'bad: no address'],
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
    [
      'fields after the agent',
      `192.0.2.1 - - ${request} ${quoted} "203.0.113.9" 0.005`,
      'bad: more than the format has',
    ],
    ['a port', `192.0.2.1:80 - - ${request} ${quoted}`, 'bad: no address'],
    ['a list', `192.0.2.1, 192.0.2.2 - - ${request} ${quoted}`, 'bad: several addresses'],
    ['another address', `192.0.2.1 192.0.2.2 - - ${request} ${quoted}`, 'bad: no address'],
    ['a virtual host', `shop.example:443 192.0.2.1 - - ${request} ${quoted}`, 'bad: no address'],
    ['HTTP/2', `192.0.2.1 - - ${request.replace('HTTP/1.1', 'HTTP/2.0')} ${quoted}`, whole],
    [
      'bytes of TLS',
      String.raw`192.0.2.1 - - [20/Nov/2026:12:30:15 +0000] "\x16\x03\x01" 400 150 "-" "-"`,
      'not HTTP',
    ],
    ['no request', '192.0.2.1 - - [20/Nov/2026:12:30:15 +0000] "-" 408 0 "-" "-"', 'not HTTP'],
    [
      'an unknown month',
      `192.0.2.1 - - ${request.replace('Nov', 'Nox')} ${quoted}`,
      'bad: no time',
    ],
    [
      'an hour after 23',
      `192.0.2.1 - - ${request.replace('12:30', '25:30')} ${quoted}`,
      'bad: no time',
    ],
    ['no time', `192.0.2.1 - - "GET / HTTP/1.1" 200 5 ${quoted}`, 'bad: no " [" after remote_user'],
    ['no status', `192.0.2.1 - - ${request.replace(' 200 5', ' - -')} ${quoted}`, 'no status'],
    [
      'no closing quote',
      '192.0.2.1 - - [20/Nov/2026:12:30:15 +0000] "GET / HTTP/1.1',
      'bad: no "\\" " after request',
    ],
    ['one word', 'hello', 'bad: no " - " after remote_addr'],
  ])('reads %s', (_, line, expected) => {
    const defined =
      typeof expected === 'string'
        ? expected
        : Object.fromEntries(Object.entries(expected).filter(([, value]) => value !== undefined))
    expect(fieldsOf(cut(readerOf('combined'), line))).toEqual(defined)
  })

  test('reads the common format, which has no referer and no agent', () => {
    const { agent: _agent, referer: _referer, ...common } = whole
    expect(fieldsOf(cut(readerOf('common'), `192.0.2.1 - - ${request}`))).toEqual(common)
    expect(readerOf('common').has('header.user-agent')).toBe(false)
  })

  test('reads bytes that are not UTF-8 as replacement characters', () => {
    const line = `192.0.2.1 - - ${request} "-" "\xff"`
    const record = readingOf(readerOf('combined'), line)
    expect(typeof record === 'string' ? record : record.header('user-agent')).toBe('\ufffd')
  })
})
