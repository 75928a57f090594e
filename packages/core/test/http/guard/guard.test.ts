import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import process from 'node:process'
import { setImmediate } from 'node:timers/promises'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test } from 'vitest'
import {
  createLimiter,
  fixedWindow,
  gcra,
  memoryStore,
  notLimited,
  type Decision,
  type DecisionEvent,
  type Policies,
} from '../../../src/index.js'
import { byHeader, byIp, byUser, createGuard, type Action } from '../../../src/http/index.js'
import { rulesOf } from '../judged.js'
import { rejectionOf } from '../../error-of.js'
import { laterStore } from '../../later-store.js'
import {
  noHeaders,
  response,
  fieldsOf,
  guardOf,
  start,
  viewOf,
  type Options,
  type Visit,
  type Handler,
} from '../visit.js'

const twice: Options = { limit: 2, window: '1m' }

const unlimited = { type: 'continue', decision: undefined, headers: [] }

function decisionOf({ decision }: Action<unknown>): Decision {
  if (decision === undefined) throw new Error('nothing was decided')
  return decision
}

/** A thenable that is not a promise. */
function promised<T>(value: T): Pick<Promise<T>, 'then'> {
  return { then: (...listeners) => Promise.resolve(value).then(...listeners) }
}

test('denies the request that would exceed the limit', async () => {
  const check = guardOf(twice)
  expect(
    [await check(), await check(), await check(), await check()].map(({ type }) => type),
  ).toEqual(['continue', 'continue', 'deny', 'deny'])
})

test('allows requests again after the window', async () => {
  let now = start
  const check = guardOf({ ...twice, algorithm: fixedWindow, clock: () => now })
  const types = async () => [await check(), await check(), await check()].map(({ type }) => type)
  expect(await types()).toEqual(['continue', 'continue', 'deny'])
  now += 59_999
  expect((await check()).type).toBe('deny')
  now += 1
  expect(await types()).toEqual(['continue', 'continue', 'deny'])
})

test('counts by a sliding window by default', async () => {
  let now = start
  const check = guardOf({ limit: 10, window: '10s', clock: () => now })
  await check()
  now += 9000
  for (let i = 0; i < 9; i++) await check()
  now += 3000
  // Ten requests from 0 to 9 s, counted as if evenly spread: three have expired. A fixed window would have 9 remaining, a log 0.
  expect(decisionOf(await check()).remaining).toBe(2)
})

test('counts by the option "algorithm"', async () => {
  const check = guardOf({ limit: 60, window: '1m', algorithm: gcra })
  expect(decisionOf(await check()).policies['default'].nextMs).toBe(1000)
})

test('counts each address separately', async () => {
  const check = guardOf({ limit: 1, window: '1m' })
  expect((await check({}, { address: '192.0.2.1' })).type).toBe('continue')
  expect((await check({}, { address: '192.0.2.2' })).type).toBe('continue')
  expect((await check({}, { address: '::ffff:192.0.2.2' })).type).toBe('deny')
})

test('refuses a request without an address instead of allowing it', async () => {
  const check = guardOf(twice)
  expect((await rejectionOf(check({}, { address: undefined }))).code).toBe('SLUICE_ADDRESS_MISSING')
})

test('a client that has reset its connection is no error, before Node closes the socket', async () => {
  const guard = createGuard(twice)
  const view = viewOf({}, { address: undefined })
  const off = (): void => {}
  const unix = { destroyed: false, remoteAddress: undefined, once: off, off }
  const asked = async (socket: typeof unix & { readonly localPort?: number }) =>
    guard.check(view, { ...response, req: { socket } }, noHeaders)
  expect(await asked({ ...unix, localPort: 3000 })).toMatchObject({ type: 'deny', status: 499 })
  expect((await rejectionOf(asked(unix))).code).toBe('SLUICE_ADDRESS_MISSING')
})

test('reads no address if the key needs none', async () => {
  const guard = createGuard({ ...twice, key: 'all' })
  const view = {
    ...viewOf({}),
    get address(): string {
      throw new Error('the address was looked up')
    },
  }
  expect(await guard.check(view, response, noHeaders)).toMatchObject({ type: 'continue' })
})

test.each<[string, Options['key']]>([
  ['a string', 'all'],
  ['parts', ['tenant', 'all']],
  ['a record', { default: 'all' }],
  ['a function that gives a string', () => 'all'],
  ['a function that gives parts', () => ['tenant', 'all']],
  ['a record of functions', { default: () => ['tenant', 'all'] }],
  ['a number as a part', ['tenant', 42]],
  ['a function that gives a function', () => byIp()],
])('accepts as a key %s', async (_, key) => {
  const check = guardOf({ limit: 1, window: '1m', ...(key === undefined ? {} : { key }) })
  expect([await check(), await check()].map(({ type }) => type)).toEqual(['continue', 'deny'])
})

test('passes the request and its view to the key function', async () => {
  const check = guardOf({
    limit: 1,
    window: '1m',
    key: ({ user = 'nobody' }, { method, route = '' }) => [user, method, route],
  })
  expect((await check({ user: 'ada' }, { route: '/a' })).type).toBe('continue')
  expect((await check({ user: 'ada' }, { route: '/b' })).type).toBe('continue')
  expect((await check({ user: 'ada' }, { route: '/b', method: 'PUT' })).type).toBe('continue')
  expect((await check({ user: 'ada' }, { route: '/b' })).type).toBe('deny')
})

test('a key function can call byIp', async () => {
  const address = byIp()
  const check = guardOf({
    limit: 1,
    window: '1m',
    key: (visit, view) => (visit.user === undefined ? address(visit, view) : ['user', visit.user]),
  })
  expect(
    [await check(), await check({ user: 'ada' }), await check()].map(({ type }) => type),
  ).toEqual(['continue', 'continue', 'deny'])
})

test('counts each policy by its own key, and leaves out the one that is not limited', async () => {
  const check = guardOf({
    policies: {
      user: fixedWindow({ limit: 1, window: '1m' }),
      address: fixedWindow({ limit: 3, window: '1m' }),
    },
    key: { user: ({ user }) => user ?? notLimited, address: (_visit, { address = '' }) => address },
  })
  expect(Object.keys(decisionOf(await check()).policies)).toEqual(['address'])
  expect((await check({ user: 'ada' })).type).toBe('continue')
  expect(decisionOf(await check({ user: 'ada' })).deniedBy).toEqual(['user'])
  expect((await check({ user: 'bob' })).type).toBe('continue')
  expect(decisionOf(await check({ user: 'eve' })).deniedBy).toEqual(['address'])
})

test.each([
  [undefined],
  [null],
  [''],
  [[]],
  [['user', '']],
  [['user', undefined]],
  [['user', null]],
  [['user', ['a']]],
  [{ default: '' }],
  [{ default: 'a' }],
  [{ default: null }],
  [{}],
  [5],
])('the key %j of a function is an error of the request, which is not allowed', async (key) => {
  const check = guardOf({ ...twice, key: () => key as string })
  const { code, status } = await rejectionOf(check())
  expect([code, status]).toEqual(['SLUICE_KEY_INVALID', 400])
})

test.each<[string, Options['key']]>([
  ['for the whole key', () => notLimited],
  ['for one part of it', ['user', () => notLimited]],
])('does not limit a request if a function returns notLimited %s', async (_, key) => {
  const check = guardOf({ limit: 0, window: '1m', ...(key === undefined ? {} : { key }) })
  expect(await check()).toEqual(unlimited)
})

test('a key for an unknown policy and a missing key for a known one are errors of the application', async () => {
  const policy = fixedWindow({ limit: 1, window: '1m' })
  const policies = () => ({ minute: policy, day: policy })
  const stray = guardOf({ policies, key: { minute: 'a', day: 'a', other: 'a' } })
  const { code, status } = await rejectionOf(stray())
  expect([code, status]).toEqual(['SLUICE_POLICY_NAME_UNKNOWN', undefined])
  const absent = await rejectionOf(guardOf({ policies, key: { minute: 'a' } })())
  expect([absent.code, absent.status]).toEqual(['SLUICE_KEY_MISSING', undefined])
})

test('consumes as many units as the request costs', async () => {
  const check = guardOf({ limit: 10, window: '1m', cost: ({ size = 1 }) => size })
  expect(decisionOf(await check({ size: 7 })).remaining).toBe(3)
  expect((await check({ size: 4 })).type).toBe('deny')
  expect(decisionOf(await check({ size: 3 })).remaining).toBe(0)
  expect(decisionOf(await guardOf({ ...twice, cost: 2 })()).remaining).toBe(0)
})

test.each([undefined, null, -1, 1.5, NaN, '1'])(
  'the cost %j of a function is an error',
  async (cost) => {
    const check = guardOf({ ...twice, cost: () => cost as number })
    expect((await rejectionOf(check())).code).toBe('SLUICE_COST_INVALID')
  },
)

test('a skipped request is not counted and has no headers', async () => {
  const check = guardOf({ ...twice, skip: ({ user }) => user === 'admin' })
  expect(await check({ user: 'admin' })).toEqual(unlimited)
  expect(decisionOf(await check()).remaining).toBe(1)
})

test('calls no other option for a skipped request', async () => {
  const check = guardOf({
    ...twice,
    skip: () => true,
    key: () => {
      throw new Error('the key was asked for')
    },
  })
  expect(await check()).toEqual(unlimited)
})

test('calls the function "limit" for each request', async () => {
  const check = guardOf({
    limit: ({ user }) => (user === 'gold' ? 5 : 1),
    window: '1m',
    key: 'all',
  })
  expect(fieldsOf(await check({ user: 'gold' }))['RateLimit-Policy']).toBe('"default";q=5;w=60')
  expect((await check({ user: 'other' })).type).toBe('deny')
  expect(decisionOf(await check({ user: 'gold' })).remaining).toBe(3)
})

/** A guard whose requests state their limits, and the limits of which it has built a policy. */
function guardOfSizes() {
  const built: number[] = []
  const check = guardOf({
    limit: ({ size = 0 }) => size,
    window: '1m',
    algorithm: (options) => {
      built.push(options.limit)
      return fixedWindow(options)
    },
  })
  return { built, check }
}

test('builds the policy of one limit once', async () => {
  const { built, check } = guardOfSizes()
  for (const size of [5, 7, 5, 7, 7]) await check({ size })
  // The first one is built early, to find errors.
  expect(built).toEqual([1, 5, 7])
})

test('caches at most a thousand limits', async () => {
  const { built, check } = guardOfSizes()
  for (let size = 1; size <= 1000; size++) await check({ size })
  expect(built.length).toBe(1000)
  await check({ size: 1001 })
  await check({ size: 2 })
  expect(built.length).toBe(1001)
  await check({ size: 1 })
  expect(built.length).toBe(1002)
})

test.each([undefined, null, '5', -1, 1.5, NaN, Infinity])(
  'the limit %j of a function is an error',
  async (limit) => {
    const check = guardOf({ limit: () => limit as number, window: '1m' })
    expect((await rejectionOf(check())).code).toBe('SLUICE_RESULT_INVALID')
  },
)

test('calls the function "policies" for each request, which returns one policy or several', async () => {
  const free = fixedWindow({ limit: 1, window: '1m' })
  const gold = {
    burst: fixedWindow({ limit: 2, window: '1s' }),
    day: fixedWindow({ limit: 50, window: '1d' }),
  }
  const check = guardOf({
    policies: ({ user }): Policies => (user === 'gold' ? gold : free),
    key: ({ user = 'free' }) => user,
  })
  expect(Object.keys(decisionOf(await check({ user: 'gold' })).policies)).toEqual(['burst', 'day'])
  expect([await check(), await check()].map(({ type }) => type)).toEqual(['continue', 'deny'])
})

test.each([undefined, null, 5, 'gold', {}, [], { gold: 5 }])(
  'the policies %j of a function are an error',
  async (plan) => {
    const check = guardOf({ policies: () => plan as unknown as Policies })
    expect((await rejectionOf(check())).code).toMatch(/^SLUICE_(RESULT_INVALID|POLICY_UNKNOWN)$/)
  },
)

test.each<[string, unknown, string]>([
  ['policies', undefined, 'undefined'],
  ['policies', null, 'null'],
  ['policies', 'free', 'the string "free"'],
  ['policies', [], 'an empty list'],
  ['policies', {}, 'an empty object'],
  ['limit', undefined, 'undefined'],
  ['limit', '60', 'the string "60"'],
  ['limit', -1, '-1'],
])('names the function "%s" that returned %o, and a valid result', async (option, value, shown) => {
  const check = guardOf({
    ...(option === 'limit' ? { window: '1m' } : {}),
    [option]: () => value as never,
    headers: 'none',
  })
  const expected =
    option === 'limit'
      ? 'a whole number, 0 or more, below 2^53'
      : 'a policy such as slidingWindow({ limit: 100, window: "1m" }), a record from name to policy, or unlimited()'
  const { code, message } = await rejectionOf(check())
  expect([code, message]).toEqual([
    'SLUICE_RESULT_INVALID',
    `rateLimit: the function "${option}" returned ${shown}. Return ${expected} for every request.`,
  ])
})

test('shares its counts with a limiter of the same name in the same store', async () => {
  const store = memoryStore()
  const policies = fixedWindow({ limit: 2, window: '1m' })
  const check = guardOf({ name: 'api', policies: policies, store, key: 'ada' })
  const limiter = createLimiter({ name: 'api', policies, store, clock: () => start })
  await check()
  expect(limiter.peek('ada').remaining).toBe(1)
  limiter.consume('ada')
  expect((await check()).type).toBe('deny')
})

test('returns an action if nothing is asynchronous', async () => {
  const check = guardOf({
    limit: () => 1,
    window: '1m',
    skip: () => false,
    key: () => 'all',
    cost: () => 1,
    body: () => 'no',
  })
  expect(
    [await check(), await check()].map((outcome) => 'type' in outcome && outcome.type),
  ).toEqual(['continue', 'deny'])
})

test.each<[string, Options]>([
  ['skip', { skip: async () => false }],
  ['limit', { limit: async () => 1 }],
  ['key', { key: async () => 'all' }],
  ['cost', { cost: async () => 1 }],
  ['a function that is a thenable', { skip: () => Object.assign(() => {}, promised(false)) }],
  ['a promise of another realm', { cost: () => runInNewContext('Promise.resolve(1)') }],
  ['store', { store: laterStore() }],
  [
    'everything',
    {
      skip: async () => false,
      limit: async () => 1,
      key: async () => 'all',
      cost: async () => 1,
      body: async () => 'no',
      store: laterStore(),
    },
  ],
])('returns the same actions if %s is asynchronous', async (_, options) => {
  const check = guardOf({ limit: 1, window: '1m', ...options })
  const settled = [await check(), await check()]
  expect(settled.map(({ type }) => type)).toEqual(['continue', 'deny'])
})

test('waits for the promise of policies', async () => {
  const plan = fixedWindow({ limit: 1, window: '1m' })
  const check = guardOf({ policies: async () => plan })
  expect([(await check()).type, (await check()).type]).toEqual(['continue', 'deny'])
})

test('skips a request by a promise', async () => {
  const check = guardOf({ ...twice, skip: async ({ user }: Visit) => user === 'admin' })
  expect(await check({ user: 'admin' })).toEqual(unlimited)
})

test('calls onDecision with each request and decision', async () => {
  const told: [Visit, Decision][] = []
  const check = guardOf({
    ...twice,
    skip: ({ user }) => user === 'admin',
    deny: ['mallory'],
    key: ({ user = 'all' }) => user,
    onDecision: (visit, decision) => void told.push([visit, decision]),
  })
  const ada = { user: 'ada' }
  const actions = [await check(ada), await check(ada), await check(ada)]
  await check({ user: 'admin' })
  await check({ user: 'mallory' })
  expect(told.map(([visit, { allowed }]) => [visit === ada, allowed])).toEqual([
    [true, true],
    [true, true],
    [true, false],
  ])
  expect(told.map(([, decision]) => decision)).toEqual(actions.map(decisionOf))
})

test('calls onDecision in a dry run', async () => {
  const told: boolean[] = []
  const onDecision = (_: Visit, { allowed }: Decision) => void told.push(allowed)
  const check = guardOf({ limit: 1, window: '1m', dryRun: true, onDecision })
  await check()
  await check()
  expect(told).toEqual([true, false])
})

test.each<[string, () => void]>([
  [
    'throws',
    () => {
      throw new Error('told')
    },
  ],
  ['rejects', () => Promise.reject(new Error('told'))],
])('warns of an error that onDecision %s, and the request continues', async (_, onDecision) => {
  const warnings: string[] = []
  const warn = (warning: Error) => void warnings.push(String(warning))
  process.on('warning', warn)
  onTestFinished(() => void process.off('warning', warn))
  const check = guardOf({ limit: 1, window: '1m', onDecision })
  expect([await check(), await check()].map(({ type }) => type)).toEqual(['continue', 'deny'])
  await setImmediate()
  const reported = warnings.filter((warning) => warning.endsWith('told'))
  expect(reported).toEqual(['Error: told', 'Error: told'])
})

test('decision events carry the request, even after a delay', async () => {
  const events: unknown[] = []
  const listen = (event: unknown) => void events.push((event as DecisionEvent).request)
  for (const channel of ['sluice:decision', 'sluice:denial']) {
    subscribe(channel, listen)
    onTestFinished(() => void unsubscribe(channel, listen))
  }
  const visits = [{ user: 'ada' }, { user: 'bob' }]
  const wait: Options = { limit: 1, window: '1m', wait: { max: '1s' } }
  for (const options of [{ limit: 1, window: '1m' }, wait, { ...wait, dryRun: true }] as const) {
    const check = guardOf({ ...options, key: 'all' })
    for (const visit of visits) await check(visit)
  }
  const [ada, bob] = visits
  // Bob's denials are on both channels.
  const each = [ada, bob, bob]
  expect(events.map((request) => visits.findIndex((visit) => visit === request))).toEqual(
    [...each, ...each, ...each].map((visit) => visits.indexOf(visit)),
  )
})

test('finds the key of a request as it counts it, also of one that it would not limit', async () => {
  const address = { address: '2001:db8:1:2::3' }
  const open = { ...twice, skip: () => true, allow: ['2001:db8::/32'] }
  expect(await createGuard<Visit, Handler>(open).keyOf(viewOf({}, address))).toBe(
    'ip:2001:db8:1:2::/64',
  )
  const byName = createGuard<Visit, Handler>({ ...twice, key: ({ user = '' }) => user })
  expect(await byName.keyOf(viewOf({ user: 'ada' }))).toBe('ada')
  const late = createGuard<Visit, Handler>({
    ...twice,
    key: async ({ user }) => ['user', user ?? ''],
  })
  const key = late.keyOf(viewOf({ user: 'ada' }))
  expect([key instanceof Promise, await key]).toEqual([true, ['user', 'ada']])
})

test('the errors of a key are those of the request', async () => {
  const none = createGuard<Visit, Handler>({ ...twice, key: byHeader('X-API-Key') })
  const error = await rejectionOf(Promise.resolve(none.keyOf(viewOf({}))))
  expect([error.code, error.status, error.message]).toEqual([
    'SLUICE_HEADER_MISSING',
    400,
    'The request has no header "X-API-Key".',
  ])
  // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- a function of an application may reject with anything
  const late = createGuard<Visit, Handler>({ ...twice, key: () => Promise.reject(undefined) })
  expect((await rejectionOf(Promise.resolve(late.keyOf(viewOf({}))))).code).toBe('SLUICE_THROWN')
  const ruled = createGuard<Visit, Handler>({ rules: rulesOf() }).keyOf(viewOf({}))
  expect((await rejectionOf(Promise.resolve(ruled))).code).toBe('SLUICE_KEY_PER_RULE')
})

test('an event of a denial carries the request, without a subscriber to decisions', async () => {
  const events: unknown[] = []
  const listen = (event: unknown) => void events.push((event as DecisionEvent).request)
  subscribe('sluice:denial', listen)
  onTestFinished(() => void unsubscribe('sluice:denial', listen))
  const visits: object[] = []
  for (const options of [{ limit: 0, window: '1m' }] as const) {
    const visit = {}
    visits.push(visit)
    expect((await guardOf(options)(visit)).type).toBe('deny')
  }
  expect(events.map((request) => visits.findIndex((visit) => visit === request))).toEqual([0])
})

const broken = () => {
  throw new Error('broken')
}

test.each<[string, Options]>([
  ['skip', { ...twice, skip: broken }],
  ['limit', { limit: broken, window: '1m' }],
  ['policies', { policies: broken }],
  ['key', { ...twice, key: broken }],
  ['cost', { ...twice, cost: broken }],
  ['body', { limit: 0, window: '1m', body: broken }],
  ['clock', { ...twice, clock: broken }],
])('rethrows the error that %s throws', async (_, options) => {
  await expect(guardOf(options)()).rejects.toThrowError('broken')
})

test.each<[string, Options]>([
  ['skip', { ...twice, skip: async () => broken() }],
  ['limit', { limit: async () => broken(), window: '1m' }],
  ['policies', { policies: async () => broken() }],
  ['key', { ...twice, key: async () => broken() }],
  ['cost', { ...twice, cost: async () => broken() }],
  ['body', { limit: 0, window: '1m', body: async () => broken() }],
])('rejects with the error that %s rejects with', async (_, options) => {
  await expect(guardOf(options)()).rejects.toThrowError('broken')
})

test('the promise of an empty key is an error', async () => {
  const check = guardOf({ ...twice, key: async () => '' })
  expect((await rejectionOf(Promise.resolve(check()))).code).toBe('SLUICE_KEY_INVALID')
})

test.each<[string, Options['key'], string, string]>([
  ['no key', () => '', 'The request has no valid key for its rate limit.', 'Pass a non-empty'],
  [
    'an invalid part',
    ['user', () => ''],
    'The request has no valid key for its rate limit.',
    'part 2',
  ],
  ['no header', byHeader('X-API-Key'), 'The request has no header "X-API-Key".', 'pass "firstOf"'],
  ['no user', byUser(() => undefined), 'The request has no user.', 'return "notLimited"'],
])(
  'the message of an error about a request with %s is for the client, and the stack for the programmer',
  async (_, key, message, advice) => {
    const error = await rejectionOf(guardOf({ ...twice, key: key as string })())
    expect([error.message, error.stack?.includes(advice)]).toEqual([message, true])
  },
)
