import { describe, expect, test } from 'vitest'
import { cut, jsonReader } from './log/lines.js'
import type { LogRecord } from '../../src/simulate/log/record.js'
import { keyReader } from '../../src/simulate/keys.js'
import { start } from './logs.js'

function record(fields: object): LogRecord {
  const line = JSON.stringify({ time: start, method: 'GET', url: '/a?b=1', status: 200, ...fields })
  const read = cut(jsonReader(), line)
  if (typeof read === 'string') throw new Error(read)
  return read
}

describe('keyReader', () => {
  test.each<readonly [string, object, string | undefined]>([
    ['ip', { ip: '192.0.2.1' }, '192.0.2.1'],
    ['ip', { ip: '2001:db8:0:1:2::3' }, '2001:db8:0:1::/64'],
    ['ip', { ip: '::ffff:192.0.2.1' }, '192.0.2.1'],
    ['ip', { ip: '[2001:db8::1]:80' }, '2001:db8::/64'],
    ['ip', {}, undefined],
    ['user', { user: 'alice' }, 'alice'],
    ['user', { user: '' }, undefined],
    ['host', { host: 'Shop.Example' }, 'shop.example'],
    ['method', { method: 'POST' }, 'POST'],
    ['path', {}, '/a'],
    ['path', { url: '/a/b' }, '/a/b'],
    ['header.X-API-Key', { headers: { 'x-api-key': 'k' } }, 'k'],
    ['header.x-api-key', {}, undefined],
    ['field.account.id', { account: { id: 7 } }, '7'],
    ['field.isPaid', { isPaid: false }, 'false'],
    ['field.account', { account: { id: 7 } }, undefined],
    ['field.plan', { plan: '' }, undefined],
    [' [ user , path ] ', { user: 'alice' }, '["alice","/a"]'],
    ['[user, path]', {}, undefined],
    ['[path, user]', {}, undefined],
    ['[user]', { user: 'alice' }, 'alice'],
  ])('%j of %j is %j', (key, fields, expected) => {
    expect(keyReader(key).read(record(fields))).toBe(expected)
  })

  test('different lists are different keys', () => {
    const key = keyReader('[user, field.plan]')
    const texts = [
      ['a', 'bc'],
      ['ab', 'c'],
      ['a","b', 'c'],
      ['a', 'b","c'],
    ].map(([user, plan]) => key.read(record({ user, plan })))
    expect(new Set(texts).size).toBe(4)
  })

  test('names its text and its fields', () => {
    expect(keyReader(' [user, header.X-A] ')).toMatchObject({
      text: '[user, header.X-A]',
      fields: ['user', 'header.X-A'],
    })
  })

  test.each(['', 'address', '[user, ]', '[user', 'header.', 'cookie.a'])(
    'refuses the key %j',
    (key) => {
      expect(() => keyReader(key)).toThrow(`--key ${key}: there is no field`)
    },
  )
})
