import { expect, test } from 'vitest'
import { byIp, ipKey } from '../../../src/http/index.js'
import { errorOf } from '../../error-of.js'
import { viewOf } from '../visit.js'

function keyOf(address: string | undefined, ipv6?: number): string {
  return byIp(ipv6 === undefined ? {} : { ipv6 })({}, viewOf({}, { address }))
}

test.each([
  ['192.0.2.1', 'ip:192.0.2.1'],
  ['192.0.2.1:5678', 'ip:192.0.2.1'],
  ['0.0.0.0', 'ip:0.0.0.0'],
  ['::ffff:192.0.2.1', 'ip:192.0.2.1'],
  ['::FFFF:192.0.2.1', 'ip:192.0.2.1'],
  ['::ffff:c000:201', 'ip:192.0.2.1'],
  ['0:0:0:0:0:ffff:c000:0201', 'ip:192.0.2.1'],
  ['0000:0000:0000:0000:0000:ffff:192.0.2.1', 'ip:192.0.2.1'],
  ['[::ffff:192.0.2.1]:80', 'ip:192.0.2.1'],
  ['64:ff9b::192.0.2.1', 'ip:192.0.2.1'],
  ['64:FF9B::c000:201', 'ip:192.0.2.1'],
  ['[0064:ff9b:0:0:0:0:c000:0201]:443', 'ip:192.0.2.1'],
  ['64:ff9b:1::c000:201', 'ip:64:ff9b:1::/64'],
  ['64:ff9b::1:0:c000:201', 'ip:64:ff9b::/64'],
  ['2001:db8:1:2:3:4:5:6', 'ip:2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002:ffff:ffff:ffff:ffff', 'ip:2001:db8:1:2::/64'],
  ['[2001:db8:1:2::1]', 'ip:2001:db8:1:2::/64'],
  ['[2001:db8:1:2::1]:443', 'ip:2001:db8:1:2::/64'],
  ['fe80::1%eth0', 'ip:fe80::/64'],
  ['[fe80::1%eth0]:80', 'ip:fe80::/64'],
  ['::1', 'ip:::/64'],
  ['::1:80', 'ip:::/64'],
])('reads the address %s as %s', (address, key) => {
  expect([keyOf(address), ipKey(address)]).toEqual([key, key])
})

test.each([
  [1, 'ip:8000::/1'],
  [48, 'ip:ffff:ffff:ffff::/48'],
  [56, 'ip:ffff:ffff:ffff:ff00::/56'],
  [63, 'ip:ffff:ffff:ffff:fffe::/63'],
  [65, 'ip:ffff:ffff:ffff:ffff:8000::/65'],
  [128, 'ip:ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/128'],
])('the first %i bits of an IPv6 address identify a client', (bits, key) => {
  const address = 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'
  expect([keyOf(address, bits), ipKey(address, { ipv6: bits })]).toEqual([key, key])
})

test('uses the whole IPv4 address, whatever the IPv6 subnet', () => {
  expect(keyOf('::ffff:192.0.2.1', 8)).toBe('ip:192.0.2.1')
  expect(keyOf('64:ff9b::192.0.2.1', 8)).toBe('ip:192.0.2.1')
})

test.each([
  undefined,
  '',
  'unknown',
  'localhost',
  'localhost:80',
  '_hidden',
  '/run/app.sock',
  '1.2.3',
  '1.2.3.4.5',
  '256.0.0.1',
  '1.2.3.4:',
  '1.2.3.4:x',
  '0x7f.0.0.1',
  '0177.0.0.1',
  '2130706433',
  ' 192.0.2.1',
  '192.0.2.1, 192.0.2.2',
  '2001:db8::/64',
  '2001:db8::1::2',
  '[2001:db8::1',
  '[2001:db8::1]x',
  ':'.repeat(10_000),
])('refuses %j, which is not an address', (address) => {
  expect(errorOf(() => keyOf(address)).code).toBe('SLUICE_ADDRESS_MISSING')
})

test('names the usual reason for a missing address', () => {
  expect(errorOf(() => keyOf(undefined)).message).toBe(
    `byIp: the request's address is undefined. If a proxy or a unix socket is in front of the server, tell the framework ` +
      `to trust it (Express: app.set('trust proxy', 1)), or pass another "key": with one count for all such requests, one client could use up the limit of all.`,
  )
})

test.each([0, 129, -1, 1.5, NaN, '64', null, true])('refuses a subnet of %j bits', (bits) => {
  const error = errorOf(() => byIp({ ipv6: bits as number }))
  expect(error.code).toBe('SLUICE_OPTION_INVALID')
  expect(error.message).toMatch(/^byIp: .* Pass a whole number of bits from 1 to 128\.$/)
  const { code, message } = errorOf(() => ipKey('192.0.2.1', { ipv6: bits as number }))
  expect([code, message.startsWith('ipKey: "ipv6" is ')]).toEqual(['SLUICE_OPTION_INVALID', true])
})

test('refuses an unknown option', () => {
  expect(errorOf(() => byIp({ ipv4: 24 } as object)).message).toBe(
    'byIp: there is no option "ipv4". Did you mean "ipv6"? It takes "ipv6".',
  )
})
