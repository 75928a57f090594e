import { describe, expect, test } from 'vitest'
import { fixedWindow, notLimited, type Key } from '../../../src/index.js'
import { accessList, byIp } from '../../../src/http/index.js'
import { Entries } from '../../../src/http/lists/access-list.js'
import { errorOf, rejectionOf } from '../../error-of.js'
import { denialOf, fieldsOf, guardOf, type Options } from '../visit.js'

const once: Options = { limit: 1, window: '1m' }
const unlimited = { type: 'continue', decision: undefined, headers: [] }

describe('finds an address', () => {
  test.each([
    ['192.0.2.7', '192.0.2.7'],
    ['192.0.2.7', '::ffff:192.0.2.7'],
    ['192.0.2.7', '::ffff:c000:207'],
    ['192.0.2.7', '0:0:0:0:0:FFFF:192.0.2.7'],
    ['192.0.2.7', '192.0.2.7:5678'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:C000:207', '192.0.2.7'],
    ['192.0.2.7:80', '192.0.2.7'],
    ['2001:db8::1', '2001:0DB8:0:0:0:0:0:0001'],
    ['2001:DB8::A', '2001:db8::a'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['fe80::1', 'fe80::1%eth1'],
    ['10.0.0.0/8', '10.255.255.255'],
    ['10.1.2.3/8', '10.0.0.0'],
    ['10.0.0.0/8', '::ffff:10.1.2.3'],
    ['::ffff:10.0.0.0/104', '10.1.2.3'],
    ['::ffff:0:0/96', '203.0.113.9'],
    ['192.0.2.7/32', '192.0.2.7'],
    ['0.0.0.0/0', '203.0.113.9'],
    ['::/0', '2001:db8::1'],
    ['2001:DB8::/32', '2001:db8:ffff::1'],
    ['2001:db8::dead:beef/32', '2001:db8::1'],
    ['2001:db8::/127', '2001:db8::1'],
    ['fe80::%eth0/10', 'fe80::1%eth1'],
    ['1.2.3.0/24', '64:ff9b::1.2.3.4'],
    ['1.2.3.0/24', '64:ff9b::102:304'],
    ['1.2.3.4', '[64:ff9b:0:0:0:0:102:304]:443'],
    ['64:ff9b::1.2.3.4', '1.2.3.4'],
    ['64:ff9b::1.2.3.0/120', '1.2.3.4'],
    ['64:ff9b::1.2.3.0/120', '::ffff:1.2.3.4'],
    ['64:ff9b:1::/48', '64:ff9b:1::102:304'],
  ])('of the entry %s in %s', (entry, address) => {
    expect(new Entries([entry]).hasAddress(address)).toBe(true)
  })
})

describe('finds no address', () => {
  test.each([
    ['192.0.2.7', '192.0.2.70'],
    ['10.0.0.0/8', '11.0.0.0'],
    ['10.0.0.0/8', '9.255.255.255'],
    ['192.0.2.7/31', '192.0.2.8'],
    ['0.0.0.0/0', '::1'],
    ['::/0', '192.0.2.7'],
    ['::/0', '::ffff:192.0.2.7'],
    ['::/0', '64:ff9b::192.0.2.7'],
    ['1.2.3.0/24', '64:ff9b:1::102:304'],
    ['1.2.3.0/24', '64:ff9b::1:0:102:304'],
    ['2001:db8::/127', '2001:db8::2'],
  ])('of the entry %s in %s', (entry, address) => {
    expect(new Entries([entry]).hasAddress(address)).toBe(false)
  })
})

test.each(['0x0a.1', '10.1', '010.0.0.1', 'localhost', '', undefined, '10.0.0.1, 10.0.0.2'])(
  'cannot find %j, which is not an address, in a list of addresses',
  (text) => {
    const lists = [['10.0.0.0/8'], ['ada', '10.0.0.1'], ['ada'], []]
    const found = lists.map((entries) => new Entries(entries).hasAddress(text))
    expect(found).toEqual([undefined, undefined, false, false])
  },
)

test('finds an address in the inner and in the outer of nested ranges', () => {
  const entries = new Entries([
    '10.1.2.3',
    '10.1.0.0/16',
    '10.0.0.0/8',
    '10.1.2.0/24',
    '10.0.0.0/16',
  ])
  const addresses = [
    '9.255.255.255',
    '10.0.0.0',
    '10.1.2.3',
    '10.2.0.0',
    '10.255.255.255',
    '11.0.0.0',
  ]
  expect(addresses.map((address) => entries.hasAddress(address))).toEqual([
    false,
    true,
    true,
    true,
    true,
    false,
  ])
})

test('finds addresses in a thousand ranges, and none between them', () => {
  const networks = Array.from({ length: 1000 }, (_, i) => `${10 + (i >> 8)}.${i & 255}`)
  const entries = new Entries([
    ...networks.map((network) => `${network}.64.0/18`),
    ...networks.map((network) => `2001:db8:${network.replace('.', ':')}::/72`),
  ])
  const found = networks.map((network) => [
    ...['63.255', '64.0', '127.255', '128.0'].map((host) =>
      entries.hasAddress(`${network}.${host}`),
    ),
    entries.hasAddress(`2001:db8:${network.replace('.', ':')}:ff:ffff::`),
    entries.hasAddress(`2001:db8:${network.replace('.', ':')}:100::`),
  ])
  expect(found).toEqual(networks.map(() => [false, true, true, false, true, false]))
})

test.each<[Key, Key]>([
  ['ada', 'ada'],
  ['ada', ['ada']],
  [
    ['user', 'auth0|1'],
    ['user', 'auth0|1'],
  ],
  [['10.0.0.1'], '10.0.0.1'],
  ['aa:bb:cc:dd:ee:ff', 'aa:bb:cc:dd:ee:ff'],
  ['v1.2', 'v1.2'],
  ['42', '42'],
  ['a/1', 'a/1'],
])('finds the key %j in the key %j', (entry, key) => {
  const entries = new Entries([entry])
  expect([entries.hasKeys, entries.hasKey(key), entries.hasKey({ a: notLimited, b: key })]).toEqual(
    [true, true, true],
  )
})

test.each<[Key, Key]>([
  ['user|1', ['user', '1']],
  [['user', '1'], 'user|1'],
  ['user%7C1', 'user|1'],
  ['ada', 'Ada'],
  ['10.0.0.1', '10.0.0.1'],
  ['10.0.0.1', ['10.0.0.1']],
  ['10.0.0.0/8', '10.0.0.0/8'],
  ['::1', '::1'],
])('the entry %j does not match the key %j', (entry, key) => {
  expect(new Entries([entry]).hasKey(key)).toBe(false)
})

test('finds no key in a request without keys', () => {
  const entries = new Entries(['undefined', 'null', 'ada'])
  expect([{}, { a: notLimited }, notLimited, [], ''].map((keys) => entries.hasKey(keys))).toEqual([
    false,
    false,
    false,
    false,
    false,
  ])
})

test.each([
  '10.0.0.0/33',
  '10.0.0.0/-1',
  '10.0.0.0/',
  '10.0.0.0/8/8',
  '10.0.0.0/255.0.0.0',
  '10.0.0.1-10.0.0.9',
  '10.0.0.*',
  '10.0.0',
  '10/8',
  '300.1.2.3',
  '1.2.3.4.5',
  '010.0.0.1',
  ' 10.0.0.1',
  '10.0.0.1\r',
  '::1 ',
  '2001:db8/32',
  '2001:db8::/129',
  '[2001:db8::]/32',
])('refuses the entry %j: as a key it would never match', (entry) => {
  const { code, message } = errorOf(() => accessList([entry]))
  expect(code).toBe('SLUICE_OPTION_INVALID')
  expect(message.startsWith(`accessList: "entries" is the string ${JSON.stringify(entry)}. `)).toBe(
    true,
  )
})

test.each([
  ['::ffff:10.0.0.0/8', '"10.0.0.0/8"'],
  ['::FFFF:A00:0/8', '"10.0.0.0/8"'],
  ['::ffff:192.0.2.0/24', '"192.0.2.0/24"'],
  ['::ffff:192.0.2.7/32', '"192.0.2.7/32"'],
  ['::ffff:10.0.0.0/95', 'a range of IPv4, such as "10.0.0.0/8"'],
  ['::ffff:0:0/0', 'a range of IPv4, such as "10.0.0.0/8"'],
  ['64:ff9b::10.0.0.0/8', '"10.0.0.0/8"'],
  ['64:ff9b::/96', 'a range of IPv4, such as "10.0.0.0/8"'],
  ['64:ff9b::/32', 'a range of IPv4, such as "10.0.0.0/8"'],
])(
  'refuses the range %s, which no IPv4 client matches, and shows the right one',
  (entry, range) => {
    const { code, message, status } = errorOf(() => accessList([entry]))
    expect([code, status, message]).toEqual([
      'SLUICE_OPTION_INVALID',
      undefined,
      `accessList: "entries" is the string ${JSON.stringify(entry)}. Pass ${range}: IPv4 clients are compared with IPv4 ranges, ` +
        'and the bits after this slash count in IPv6.',
    ])
  },
)

test.each([
  [['']],
  [[[]]],
  [[['user', '']]],
  [[['user', ['a']]]],
  [[5]],
  [[null]],
  ['10.0.0.0/8'],
  [undefined],
  [{}],
])('refuses %j', (entries) => {
  expect(errorOf(() => accessList(entries as string[])).code).toBe('SLUICE_OPTION_INVALID')
})

test('replaces all entries at once, for every limiter that uses the list', async () => {
  const list = accessList(['192.0.2.1', 'ada', '10.0.0.0/8'])
  const checks = [
    guardOf({ ...once, key: ({ user = 'x' }) => user, deny: list }),
    guardOf({ ...once, key: ({ user = 'x' }) => user, deny: list }),
  ]
  const types = async (user: string, address: string) =>
    Promise.all(checks.map(async (check) => (await check({ user }, { address })).type))
  expect(await types('bob', '192.0.2.1')).toEqual(['deny', 'deny'])
  list.replace(['198.51.100.1', ['bob']])
  expect(await types('ada', '192.0.2.1')).toEqual(['continue', 'continue'])
  expect(await types('eve', '10.0.0.1')).toEqual(['continue', 'continue'])
  expect(await types('bob', '192.0.2.1')).toEqual(['deny', 'deny'])
  expect(await types('eve2', '198.51.100.1')).toEqual(['deny', 'deny'])
})

test('is unchanged if one of the new entries is wrong', () => {
  const list = new Entries(['192.0.2.1', 'ada', '10.0.0.0/8'])
  expect(errorOf(() => list.replace(['bob', '192.0.2.9', '10.0.0.0/99'])).code).toBe(
    'SLUICE_OPTION_INVALID',
  )
  expect([list.hasAddress('192.0.2.1'), list.hasAddress('10.1.1.1'), list.hasKey('ada')]).toEqual([
    true,
    true,
    true,
  ])
  expect([list.hasAddress('192.0.2.9'), list.hasKey('bob')]).toEqual([false, false])
})

test.each<[string, Options]>([
  ['address', { allow: ['192.0.2.1'] }],
  ['range', { allow: accessList(['192.0.2.0/24']) }],
  ['key', { allow: [['user', 'ada']] }],
])(
  'does not limit a client that is allowed by %s: nothing is counted or written',
  async (_, options) => {
    const check = guardOf({ limit: 0, window: '1m', key: () => ['user', 'ada'], ...options })
    expect([await check(), await check()]).toEqual([unlimited, unlimited])
    const other = guardOf({ limit: 0, window: '1m', key: () => ['user', 'bob'], ...options })
    expect((await other({}, { address: '198.51.100.1' })).type).toBe('deny')
  },
)

test('sends a denied client a 403 without rate limit headers, and counts nothing', async () => {
  const check = guardOf({ ...once, deny: ['192.0.2.1'], key: 'all', onDenied: () => 'handled' })
  const denied = denialOf(await check())
  expect([denied.status, denied.decision, fieldsOf(denied)]).toEqual([
    403,
    undefined,
    { 'Content-Type': 'application/problem+json' },
  ])
  expect(JSON.parse(denied.body)).toEqual({ title: 'Forbidden', status: 403 })
  expect((await check({}, { address: '192.0.2.2' })).decision?.remaining).toBe(0)
})

test('sends the 403 in plain text to a client that prefers it', async () => {
  const check = guardOf({ ...once, deny: ['192.0.2.1'] })
  const denied = denialOf(await check({}, { headers: { accept: 'text/plain' } }))
  expect([denied.body, fieldsOf(denied)]).toEqual([
    'Forbidden\n',
    { 'Content-Type': 'text/plain; charset=utf-8' },
  ])
})

test('allows a denied client in a dry run', async () => {
  expect(await guardOf({ ...once, deny: ['192.0.2.1'], dryRun: true })()).toEqual(unlimited)
})

test.each<[string, Options]>([
  ['address and address', { allow: ['192.0.2.1'], deny: ['192.0.2.0/24'] }],
  ['address and key', { allow: ['192.0.2.1'], deny: ['ada'] }],
  ['key and address', { allow: ['ada'], deny: ['192.0.2.1'] }],
  ['key and key', { allow: ['ada'], deny: ['ada'] }],
  ['one key and another', { allow: ['ada'], deny: ['acme'], key: { default: 'ada', two: 'acme' } }],
])('denies a client in both lists, by %s', async (_, options) => {
  const policy = fixedWindow({ limit: 1, window: '1m' })
  const policies =
    options.key === undefined ? { default: policy } : { default: policy, two: policy }
  expect(denialOf(await guardOf({ policies, key: () => 'ada', ...options })()).status).toBe(403)
})

test('calls no key function if the address decides', async () => {
  const key = () => {
    throw new Error('the key was asked for')
  }
  expect(await guardOf({ ...once, key, allow: ['192.0.2.1'] })()).toEqual(unlimited)
  expect((await guardOf({ ...once, key, deny: ['192.0.2.1'] })()).type).toBe('deny')
})

test('allows an address if other keys are denied', async () => {
  const check = guardOf({
    limit: 0,
    window: '1m',
    key: ({ user = '' }) => user,
    allow: ['192.0.2.1'],
    deny: ['mallory'],
  })
  expect(await check({ user: 'ada' })).toEqual(unlimited)
  expect((await check({ user: 'mallory' })).type).toBe('deny')
})

test('denies a client that chooses an allowed address as its key', async () => {
  const check = guardOf({
    limit: 0,
    window: '1m',
    allow: ['10.0.0.1', '10.0.0.0/8'],
    key: ({ user = '' }) => user,
  })
  expect(
    await Promise.all(
      ['10.0.0.1', '10.0.0.0/8', 'ip:10.0.0.1'].map(async (user) => (await check({ user })).type),
    ),
  ).toEqual(['deny', 'deny', 'deny'])
})

test('compares addresses if the keys are subnets, and keys from promises', async () => {
  const list: Options = { allow: ['2001:db8::1', 'ada'], limit: 0, window: '1m' }
  const byAddress = guardOf({ ...list, key: byIp() })
  expect(await byAddress({}, { address: '2001:db8::1' })).toEqual(unlimited)
  expect((await byAddress({}, { address: '2001:db8::2' })).type).toBe('deny')
  expect(await guardOf({ ...list, key: async () => 'ada' })()).toEqual(unlimited)
})

test.each<[string, Options, string]>([
  ['allow', { allow: ['0.0.0.0/0', '::/0'] }, 'allow'],
  ['deny', { deny: ['192.0.2.1', 'eve'] }, 'deny'],
  ['deny, in a dry run', { deny: accessList(['192.0.2.1']), dryRun: true }, 'deny'],
])('refuses a request without an address if it is needed for %s', async (_, lists, option) => {
  const check = guardOf({ ...once, ...lists, key: 'all' })
  for (const address of [undefined, 'unknown']) {
    const { code, message } = await rejectionOf(
      check({}, { address, addressAdvice: 'Pass the option "address"' }),
    )
    expect(code).toBe('SLUICE_ADDRESS_MISSING')
    expect(message).toBe(
      `rateLimit: "${option}" contains addresses, and the request's address is ${address === undefined ? address : 'the string "unknown"'}. ` +
        'Pass the option "address", or list keys only.',
    )
  }
})

test('needs no address for a list of keys', async () => {
  const check = guardOf({ limit: 0, window: '1m', allow: ['ada'], deny: ['eve'], key: 'ada' })
  expect(await check({}, { address: undefined })).toEqual(unlimited)
})
