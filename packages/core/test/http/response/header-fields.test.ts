import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { parseRateLimit } from 'ratelimit-header-parser'
import { parseList } from 'structured-headers'
import { expect, onTestFinished, test, vi } from 'vitest'
import {
  calendarWindow,
  concurrency,
  fixedWindow,
  gcra,
  notLimited,
  slidingWindow,
  tokenBucket,
  unlimited,
  type Policy,
} from '../../../src/index.js'
import { runs } from '@sluice/test-kit/random'
import type { HeaderStyle } from '../../../src/http/index.js'
import { fieldsOf, start, guardOf, type Options } from '../visit.js'

const perMinute = fixedWindow({ limit: 100, window: '1m' })

/** The fields of a request after some others, at a later time. */
async function fieldsAfter(options: Options, requests = 1): Promise<Record<string, string>> {
  const check = guardOf(options)
  for (let i = 1; i < requests; i++) await check()
  return fieldsOf(await check())
}

/** A structured list, as [name, parameters]. */
function listOf(field: string): [unknown, Record<string, unknown>][] {
  return parseList(field).map(([item, parameters]) => [item, Object.fromEntries(parameters)])
}

test('writes the policy and the remaining quota in the fields of the draft', async () => {
  expect(await fieldsAfter({ policies: perMinute }, 50)).toEqual({
    'RateLimit-Policy': '"default";q=100;w=60',
    RateLimit: '"default";r=50;t=60',
  })
})

test('writes one member of each list for each policy', async () => {
  const policies = { burst: gcra({ limit: 60, window: '1m', burst: 5 }), minute: perMinute }
  const fields = await fieldsAfter({ policies })
  expect(fields['RateLimit-Policy']).toBe('"burst";q=5;w=5, "minute";q=100;w=60')
  expect(fields['RateLimit']).toBe('"burst";r=4;t=1, "minute";r=99;t=60')
  expect(listOf(fields['RateLimit-Policy'])).toEqual([
    ['burst', { q: 5, w: 5 }],
    ['minute', { q: 100, w: 60 }],
  ])
  expect(listOf(fields['RateLimit'])).toEqual([
    ['burst', { r: 4, t: 1 }],
    ['minute', { r: 99, t: 60 }],
  ])
})

test.each<[Policy, string]>([
  [fixedWindow({ limit: 7, window: '1h' }), 'q=7;w=3600'],
  [slidingWindow({ limit: 7, window: '1d' }), 'q=7;w=86400'],
  [gcra({ limit: 10, window: '1s', burst: 30 }), 'q=30;w=3'],
  [tokenBucket({ capacity: 20, refill: 5, every: '1s' }), 'q=20;w=4'],
  [calendarWindow({ limit: 7, period: 'day', timeZone: 'UTC' }), 'q=7;w=86400'],
  [fixedWindow({ limit: 7, window: 1000 }), 'q=7;w=1'],
  [fixedWindow({ limit: 7, window: 1001 }), 'q=7;w=2'],
  [fixedWindow({ limit: 7, window: 999 }), 'q=7'],
  [gcra({ limit: 0, window: '1m' }), 'q=0'],
  [fixedWindow({ limit: 0, window: '1m' }), 'q=0;w=60'],
])('writes quota and window of %j as %s', async (policy, parameters) => {
  expect((await fieldsAfter({ policies: policy }))['RateLimit-Policy']).toBe(
    `"default";${parameters}`,
  )
})

test('the reset is the time of the next units, not of the full quota', async () => {
  const policy = tokenBucket({ capacity: 20, refill: 1, every: '10s' })
  expect((await fieldsAfter({ policies: policy }, 20))['RateLimit']).toBe('"default";r=0;t=10')
})

test.each<[limit: number, window: '1h' | '1m' | '1s', seconds: number]>([
  [1, '1h', 3600],
  [2, '1m', 60],
  [10, '1s', 1],
])('the reset of a sliding window of %i per %s is within the window', async (limit, window, t) => {
  // In the middle of a clock-aligned window, which the sliding window does not use.
  const check = guardOf({ limit, window, clock: () => start + 27_500 })
  for (let i = 0; i < limit; i++) {
    expect(fieldsOf(await check())['RateLimit']).toBe(`"default";r=${limit - i - 1};t=${t}`)
  }
  expect(fieldsOf(await check())).toMatchObject({
    'RateLimit-Policy': `"default";q=${limit};w=${t}`,
    RateLimit: `"default";r=0;t=${t}`,
    'Retry-After': `${t}`,
  })
})

test('writes no reset if the quota is full', async () => {
  expect((await fieldsAfter({ policies: perMinute, cost: 0 }))['RateLimit']).toBe('"default";r=100')
})

test('writes no reset if the quota never grows', async () => {
  const fields = await fieldsAfter({ policies: fixedWindow({ limit: 0, window: '1m' }) })
  expect(fields['RateLimit']).toBe('"default";r=0')
})

test('limits numbers to the 15 digits of a structured integer', async () => {
  const fields = await fieldsAfter({ policies: fixedWindow({ limit: 2 ** 52, window: 1 }) })
  expect(fields).toEqual({
    'RateLimit-Policy': '"default";q=999999999999999',
    RateLimit: '"default";r=999999999999999;t=1',
  })
})

test('leaves out a policy that the key leaves out', async () => {
  const fields = await fieldsAfter({
    policies: { one: perMinute, two: perMinute, three: perMinute },
    key: { one: 'a', two: notLimited, three: 'a' },
  })
  expect(fields['RateLimit-Policy']).toBe('"one";q=100;w=60, "three";q=100;w=60')
  expect(fields['RateLimit']).toBe('"one";r=99;t=60, "three";r=99;t=60')
})

test('leaves out a policy without a finite quota', async () => {
  const policies = { all: unlimited(), minute: perMinute }
  expect(await fieldsAfter({ policies, headers: ['draft', 'legacy'] })).toEqual({
    'RateLimit-Policy': '"minute";q=100;w=60',
    RateLimit: '"minute";r=99;t=60',
    'X-RateLimit-Limit': '100',
    'X-RateLimit-Remaining': '99',
    'X-RateLimit-Reset': '60',
  })
  expect(await fieldsAfter({ policies: unlimited(), headers: ['draft', 'legacy'] })).toEqual({})
})

test('writes the unit of concurrency', async () => {
  const policy = concurrency({ limit: 5, lease: '30s' })
  expect(await fieldsAfter({ policies: policy })).toEqual({
    'RateLimit-Policy': '"default";q=5;qu="concurrent-requests"',
    RateLimit: '"default";r=4',
  })
})

test('the reset of a block is its end', async () => {
  const policy = fixedWindow({ limit: 2, window: '1m', block: { for: '1h' } })
  expect((await fieldsAfter({ policies: policy }, 2))['RateLimit']).toBe('"default";r=0;t=3600')
})

test.each(['draft', 'draft-7', 'draft-6', 'legacy', 'legacy-epoch', 'none'] as const)(
  'writes nothing in the style %s if the key leaves out every policy',
  async (headers) => {
    expect(
      await fieldsAfter({ policies: perMinute, key: { default: notLimited }, headers }),
    ).toEqual({})
  },
)

test.each([
  ['per "user"', String.raw`"per \"user\""`],
  [String.raw`a\b`, String.raw`"a\\b"`],
  ['größe', '"gr%C3%B6%C3%9Fe"'],
  ['速い', '"%E9%80%9F%E3%81%84"'],
  ['100%', '"100%25"'],
  ['a\r\nSet-Cookie: b', '"a%0D%0ASet-Cookie: b"'],
  ['~', '"~"'],
  ['\u007F', '"%7F"'],
])('writes the policy name %j as a structured string', async (name, written) => {
  expect(await fieldsAfter({ policies: { [name]: perMinute } })).toEqual({
    'RateLimit-Policy': `${written};q=100;w=60`,
    RateLimit: `${written};r=99;t=60`,
  })
})

test('writes every name so that a client can restore it', async () => {
  const name = fc.string({ unit: 'binary', minLength: 1, maxLength: 32 })
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(name, { minLength: 1, maxLength: 4 }), async (names) => {
      const policies = Object.fromEntries(names.map((name) => [name, perMinute]))
      const fields = await fieldsAfter({ policies })
      for (const field of Object.values(fields)) {
        const read = listOf(field).map(([item]) => decodeURIComponent(String(item)))
        expect(read).toEqual(Object.keys(policies))
        expect(field).toMatch(/^[ -~]+$/)
      }
      expect(Object.keys(fields)).toEqual(['RateLimit-Policy', 'RateLimit'])
    }),
    { numRuns: runs(200) },
  )
})

test('writes the older fields on request', async () => {
  expect(await fieldsAfter({ policies: perMinute, headers: 'legacy' }, 40)).toEqual({
    'X-RateLimit-Limit': '100',
    'X-RateLimit-Remaining': '60',
    'X-RateLimit-Reset': '60',
  })
})

test('the older fields describe the policy with the least remaining', async () => {
  const policies = {
    day: fixedWindow({ limit: 1000, window: '1d' }),
    second: fixedWindow({ limit: 10, window: '1500ms' }),
    minute: fixedWindow({ limit: 10, window: '1m' }),
  }
  expect(await fieldsAfter({ policies, headers: 'legacy' })).toEqual({
    'X-RateLimit-Limit': '10',
    'X-RateLimit-Remaining': '9',
    'X-RateLimit-Reset': '2',
  })
})

const spent = { policies: fixedWindow({ limit: 100, window: '90s' }) }

test.each<[HeaderStyle, Record<string, string>]>([
  ['draft-7', { 'RateLimit-Policy': '100;w=90', RateLimit: 'limit=100, remaining=60, reset=90' }],
  [
    'draft-6',
    {
      'RateLimit-Policy': '100;w=90',
      'RateLimit-Limit': '100',
      'RateLimit-Remaining': '60',
      'RateLimit-Reset': '90',
    },
  ],
  [
    'legacy',
    { 'X-RateLimit-Limit': '100', 'X-RateLimit-Remaining': '60', 'X-RateLimit-Reset': '90' },
  ],
  [
    'legacy-epoch',
    {
      'X-RateLimit-Limit': '100',
      'X-RateLimit-Remaining': '60',
      'X-RateLimit-Reset': `${start / 1000 + 90}`,
    },
  ],
])('writes the style %s, which ratelimit-header-parser reads', async (headers, fields) => {
  vi.useFakeTimers({ now: start })
  onTestFinished(() => void vi.useRealTimers())
  const written = await fieldsAfter({ ...spent, headers }, 40)
  expect(written).toEqual(fields)
  expect(parseRateLimit(new Headers(written))).toEqual({
    limit: 100,
    used: 40,
    remaining: 60,
    reset: new Date(start + 90_000),
  })
})

test('writes the styles of a list, and a field that two of them share once', async () => {
  expect(await fieldsAfter({ ...spent, headers: ['draft-6', 'draft-7', 'legacy-epoch'] })).toEqual({
    'RateLimit-Policy': '100;w=90',
    'RateLimit-Limit': '100',
    'RateLimit-Remaining': '99',
    'RateLimit-Reset': '90',
    RateLimit: 'limit=100, remaining=99, reset=90',
    'X-RateLimit-Limit': '100',
    'X-RateLimit-Remaining': '99',
    'X-RateLimit-Reset': `${start / 1000 + 90}`,
  })
})

test('rounds the date of legacy-epoch up to the second in which the quota is full', async () => {
  const policy = fixedWindow({ limit: 5, window: 1400 })
  const reset = async (moment: number) =>
    (await fieldsAfter({ policies: policy, headers: 'legacy-epoch', clock: () => moment }))[
      'X-RateLimit-Reset'
    ]
  expect([await reset(start), await reset(start + 600), await reset(start + 601)]).toEqual([
    `${start / 1000 + 2}`,
    `${start / 1000 + 2}`,
    `${start / 1000 + 3}`,
  ])
})

test.each(['draft-7', 'draft-6'] as const)(
  'the reset of a denial in the style %s equals Retry-After, as that revision requires',
  async (headers) => {
    // The whole burst is available after a minute, one unit after a second.
    const policy = gcra({ limit: 60, window: '1m' })
    const options: Options = { policies: policy, headers, body: '' }
    const resetOf = (fields: Record<string, string>) =>
      /reset=(\d+)/.exec(fields['RateLimit'])?.[1] ?? fields['RateLimit-Reset']
    const admitted = await fieldsAfter(options, 60)
    const denied = await fieldsAfter(options, 61)
    expect([resetOf(admitted), resetOf(denied), denied['Retry-After']]).toEqual(['60', '1', '1'])
  },
)

test.each(['draft-7', 'draft-6'] as const)(
  'writes no quota twice in the style %s, and none without a window',
  async (headers) => {
    const policies = {
      second: fixedWindow({ limit: 10, window: '1s' }),
      minute: fixedWindow({ limit: 10, window: '1m' }),
      hour: fixedWindow({ limit: 100, window: '1h' }),
      slots: concurrency({ limit: 50, lease: '1m' }),
      short: fixedWindow({ limit: 70, window: 500 }),
      all: unlimited(),
    }
    expect((await fieldsAfter({ policies, headers }))['RateLimit-Policy']).toBe(
      '10;w=60, 100;w=3600',
    )
    const only = await fieldsAfter({ policies: policies.slots, headers })
    expect(Object.keys(only).includes('RateLimit-Policy')).toBe(false)
    expect(parseRateLimit(new Headers(only))).toMatchObject({ limit: 50, remaining: 49 })
  },
)

test('writes a partition key, which is the same in every process', async () => {
  const options: Options = {
    policies: { account: perMinute, address: perMinute },
    name: 'api',
    partitionKey: true,
    key: { account: ['user', ({ user = '' }) => user], address: '192.0.2.1' },
  }
  const ofAda = fieldsOf(await guardOf(options)({ user: 'ada' }))
  // The first 12 bytes of the SHA-256 of ["api","|user|ada"] and of ["api","192.0.2.1"].
  const [account, address] = ['["api","|user|ada"]', '["api","192.0.2.1"]'].map((text) =>
    createHash('sha256').update(text).digest('base64').slice(0, 16),
  )
  expect(ofAda).toEqual({
    'RateLimit-Policy': `"account";q=100;w=60;pk=:${account}:, "address";q=100;w=60;pk=:${address}:`,
    RateLimit: `"account";r=99;t=60;pk=:${account}:, "address";r=99;t=60;pk=:${address}:`,
  })
  const [[, { pk }]] = listOf(ofAda['RateLimit'])
  expect((pk as ArrayBuffer).byteLength).toBe(12)
  expect(fieldsOf(await guardOf(options)({ user: 'ada' }))).toEqual(ofAda)
  expect(fieldsOf(await guardOf(options)({ user: 'bob' }))['RateLimit'].includes(account)).toBe(
    false,
  )
  expect(fieldsOf(await guardOf({ ...options, name: 'b' })({ user: 'ada' }))).not.toEqual(ofAda)
})

test('writes no partition key in the older styles', async () => {
  const fields = await fieldsAfter({ policies: perMinute, partitionKey: true, headers: 'legacy' })
  expect(fields).toEqual(await fieldsAfter({ policies: perMinute, headers: 'legacy' }))
})

test('writes both kinds of fields', async () => {
  expect(
    Object.keys(await fieldsAfter({ policies: perMinute, headers: ['draft', 'legacy'] })),
  ).toEqual([
    'RateLimit-Policy',
    'RateLimit',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
  ])
})

test('writes only Retry-After in the style none', async () => {
  const check = guardOf({ limit: 1, window: '1s', headers: 'none', body: '' })
  expect(fieldsOf(await check())).toEqual({})
  expect(Object.keys(fieldsOf(await check()))).toEqual(['Retry-After', 'Content-Type'])
})

test('writes the policies of the request', async () => {
  const check = guardOf({
    policies: ({ user }) => (user === 'gold' ? { gold: perMinute } : { free: slow }),
  })
  const slow = fixedWindow({ limit: 1, window: '1h' })
  expect(fieldsOf(await check({ user: 'gold' }))['RateLimit-Policy']).toBe('"gold";q=100;w=60')
  expect(fieldsOf(await check({ user: 'other' }))['RateLimit-Policy']).toBe('"free";q=1;w=3600')
  expect(fieldsOf(await check({ user: 'gold' }))['RateLimit']).toBe('"gold";r=98;t=60')
})

test('rounds waits up to whole seconds', async () => {
  let now = start
  const check = guardOf({ policies: perMinute, clock: () => now })
  await check()
  now += 1
  expect(fieldsOf(await check())['RateLimit']).toBe('"default";r=98;t=60')
  now += 58_999
  expect(fieldsOf(await check())['RateLimit']).toBe('"default";r=97;t=1')
})
