import { isIPv4 } from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '@sluice/test-kit/random'
import { addressOf, plainIpv4 } from '../../../src/http/lists/address.js'

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['192.0.2.1:5678', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:C000:201', '192.0.2.1'],
  ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
  ['[::ffff:192.0.2.1]:80', '192.0.2.1'],
  ['::ffff:192.0.2.1%eth0', '192.0.2.1'],
  ['64:ff9b::192.0.2.1', '192.0.2.1'],
  ['64:FF9B::C000:201', '192.0.2.1'],
  ['[64:ff9b:0:0:0:0:192.0.2.1]:80', '192.0.2.1'],
  ['64:ff9b::192.0.2.1%eth0', '192.0.2.1'],
  ['64:ff9b:1::c000:201', '64:ff9b:1::c000:201'],
  ['64:ff9c::c000:201', '64:ff9c::c000:201'],
  ['2001:DB8::1', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['[2001:db8::1]:443', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['[fe80::1%eth0]:80', 'fe80::1'],
  ['::', '::'],
  ['::1', '::1'],
])('reads %s as %s', (text, address) => {
  expect(addressOf(text)?.toString()).toBe(address)
})

test.each([
  '',
  ' ',
  'localhost',
  '127.1',
  '0x7f.0.0.1',
  '2130706433',
  '010.0.0.1',
  '256.0.0.1',
  '1.2.3',
  '1.2.3.4.5',
  '1.2.3.4:',
  '1.2.3.4:http',
  '1.2.3.4, 5.6.7.8',
  ' 1.2.3.4',
  ':::',
  '2001:db8::1::2',
  '12345::',
  '[2001:db8::1',
  '2001:db8::1]',
  '%eth0',
  ':80',
])('reads %j as no address', (text) => {
  expect(addressOf(text)).toBe(undefined)
})

test('the fast path takes a text that Node reads as IPv4, and no other', () => {
  const number = fc.oneof(
    fc.integer({ min: 0, max: 300 }).map(String),
    fc.constantFrom('', '00', '01', '1a'),
  )
  const text = fc.array(number, { minLength: 3, maxLength: 5 }).map((numbers) => numbers.join('.'))
  const ends = fc.constantFrom('', '', '', '\n', ' ', '.', ':80')
  fc.assert(
    fc.property(text, ends, (numbers, end) => {
      const address = numbers + end
      const expected = isIPv4(address) ? address : undefined
      expect([plainIpv4(address), plainIpv4(`::ffff:${address}`)]).toEqual([expected, expected])
    }),
    { numRuns: runs(2000) },
  )
  for (let number = 0; number < 1000; number++) {
    expect(plainIpv4(`1.2.3.${number}`) !== undefined).toBe(number < 256)
  }
})
