import process from 'node:process'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  memoryStore,
  notLimited,
  type AsyncStore,
  type Limiter,
  type MemoryStore,
  type Policies,
} from '../../src/index.js'
import {
  createGuard,
  followHandler,
  type Action,
  type ResponseHeaders,
  type ResponseOutcome,
} from '../../src/http/index.js'
import { sluiceError } from '../../src/errors.js'
import type { StoreRequest } from '../../src/stores/store.js'
import {
  dial,
  startHttp1,
  startHttp2,
  type Answering,
  type Client,
  type Handler,
} from './servers.js'
import {
  response,
  start,
  viewOf,
  type Handler as VisitHandler,
  type Options,
  type Visit,
} from './visit.js'

const clock = () => start
const name = 'site'
const five = fixedWindow({ limit: 5, window: '1m' })
const slots = concurrency({ limit: 2, lease: '1m' })

/** A store that records its verbs, and that fails if a test asks for it. */
function watchedStore(fails: (verb: string) => boolean = () => false): {
  readonly store: AsyncStore
  readonly verbs: string[]
  readonly memory: MemoryStore
} {
  const memory = memoryStore()
  const verbs: string[] = []
  const run = async (requests: readonly StoreRequest[]) =>
    requests.map((request) => {
      verbs.push(request.verb)
      return fails(request.verb) ? sluiceError('SLUICE_STORE_CLOSED', 'given') : memory.run(request)
    })
  const store: AsyncStore = { async: true, run, ping: async () => true, close: async () => {} }
  return { store, verbs, memory }
}

const headers: ResponseHeaders = {
  getHeader: () => undefined,
  setHeader: () => {},
  removeHeader: () => {},
}

/** A server with a guard: the path is the user, and `answer` handles requests that continue. */
function site(
  options: Options,
  answer: (response: Answering, user: string) => void,
): { handler: Handler; actions: Action<unknown>[]; over: (count: number) => Promise<void> } {
  const guard = createGuard<Visit, VisitHandler>({
    clock,
    name,
    key: ({ user }) => user ?? 'all',
    ...options,
  })
  const actions: Action<unknown>[] = []
  let closed = 0
  async function serve(response: Answering, url: string): Promise<void> {
    response.once('close', () => closed++)
    const user = url.slice(1)
    const visit = user === '' ? {} : { user }
    const action = await guard.check(viewOf(visit), response)
    actions.push(action)
    if (action.type === 'continue') return answer(response, user)
    if (
      action.type === 'handle' &&
      (await action.callHandler((act) => act(action.decision))) === 'continue'
    ) {
      action.proceed(headers)
      return answer(response, user)
    }
    response.statusCode = action.type === 'deny' ? action.status : 200
    response.end()
  }
  return {
    handler: (response, url) => void serve(response, url),
    actions,
    async over(count) {
      await vi.waitFor(() => expect(closed).toBe(count))
      await setImmediate()
    },
  }
}

function limiterOf(policies: Policies, store: MemoryStore): Limiter<MemoryStore> {
  return createLimiter({ name, policies, store, clock })
}

/** The messages of process warnings from now on. */
function warnings(): string[] {
  const messages: string[] = []
  const warned = ({ message }: Error) => void messages.push(message)
  process.on('warning', warned)
  onTestFinished(() => void process.off('warning', warned))
  return messages
}

const endings: Record<string, (response: Answering) => unknown> = {
  good: (response) => response.end('hello'),
  moved: (response) => ((response.statusCode = 302), response.end()),
  bad: (response) => ((response.statusCode = 400), response.end()),
  broken: (response) => ((response.statusCode = 500), response.end()),
  cut: (response) => response.write('some'),
}

async function visit(ask: (url: string) => Client, user: string): Promise<void> {
  const client = ask(`/${user}`)
  if (user !== 'cut') return void (await client.whole())
  await client.begun()
  client.leave()
}

describe.each([
  ['HTTP/1', startHttp1],
  ['HTTP/2', startHttp2],
] as const)('%s', (_, begin) => {
  test.each<[Options['count'], Record<string, number>]>([
    ['all', { good: 1, moved: 1, bad: 1, broken: 1, cut: 1 }],
    ['failures', { good: 0, moved: 0, bad: 1, broken: 1, cut: 1 }],
    ['successes', { good: 1, moved: 1, bad: 0, broken: 0, cut: 0 }],
    [({ status }) => status !== 400, { good: 1, moved: 1, bad: 0, broken: 1, cut: 1 }],
    [async ({ aborted }) => aborted, { good: 0, moved: 0, bad: 0, broken: 0, cut: 1 }],
  ])('counts %s by the response to a request', async (count, used) => {
    const store = memoryStore()
    const limiter = limiterOf(five, store)
    const { handler, over } = site({ policy: five, store, ...(count && { count }) }, (res, user) =>
      endings[user](res),
    )
    const ask = await begin(handler)
    // The units of other requests stay: a second refund would return them.
    for (const user of Object.keys(endings)) limiter.consume(user, { cost: 3 })
    for (const user of Object.keys(endings)) await visit(ask, user)
    await over(5)
    const seen = Object.keys(endings).map((user) => [user, limiter.status(user)] as const)
    expect(
      Object.fromEntries(seen.map(([user, { policies }]) => [user, policies['default'].used - 3])),
    ).toEqual(used)
  })

  test('releases a lease once, however the response ends', async () => {
    const { store, verbs, memory } = watchedStore()
    const { handler, over } = site(
      { policy: slots, store, key: 'all', releaseOn: 'close' },
      (response, user) => endings[user](response),
    )
    const ask = await begin(handler)
    for (const user of ['good', 'broken', 'cut']) {
      await visit(ask, user)
      await vi.waitFor(() => {
        expect(limiterOf(slots, memory).status('all').policies['default'].used).toBe(0)
      })
    }
    await over(3)
    expect(verbs).toEqual(['consume', 'release', 'consume', 'release', 'consume', 'release'])
  })

  test('holds a lease after the client disconnects, until the promise of the handler settles', async () => {
    const { store, verbs, memory } = watchedStore()
    const used = () => limiterOf(slots, memory).status('all').policies['default'].used
    const ends: ((error?: Error) => void)[] = []
    const { handler, over } = site({ policy: slots, store, key: 'all' }, (response) => {
      const work = new Promise<void>((resolve, reject) =>
        ends.push((error) => (error === undefined ? resolve() : reject(error))),
      )
      followHandler(response, work)
    })
    const ask = await begin(handler)
    for (const error of [undefined, new Error('failed')]) {
      const client = ask()
      await vi.waitFor(() => expect(ends.length).toBe(1))
      client.leave()
      await over(error === undefined ? 1 : 2)
      expect(used()).toBe(1)
      ends.pop()?.(error)
      await vi.waitFor(() => expect(used()).toBe(0))
    }
    expect(verbs).toEqual(['consume', 'release', 'consume', 'release'])
  })

  test('refunds an aborted request when its handler is done, and not earlier', async () => {
    const { store, verbs } = watchedStore()
    let end: () => void = () => {}
    const { handler, over } = site(
      { policies: { slots, five }, store, key: 'all', count: 'successes' },
      (response) => followHandler(response, new Promise<void>((resolve) => (end = resolve))),
    )
    const ask = await begin(handler)
    const client = ask()
    await vi.waitFor(() => expect(verbs).toEqual(['consume']))
    client.leave()
    await over(1)
    expect(verbs).toEqual(['consume'])
    end()
    await vi.waitFor(() => expect(verbs).toEqual(['consume', 'release', 'refundReceipt']))
  })

  test('holds a lease until a handler is done whose promise settles after the response', async () => {
    const { store, verbs } = watchedStore()
    let end: () => void = () => {}
    const { handler, over } = site({ policy: slots, store, key: 'all' }, (response) => {
      followHandler(response, new Promise<void>((resolve) => (end = resolve)))
      response.end('accepted')
    })
    const ask = await begin(handler)
    expect(await ask().whole()).toBe('accepted')
    await over(1)
    expect(verbs).toEqual(['consume'])
    end()
    await vi.waitFor(() => expect(verbs).toEqual(['consume', 'release']))
  })

  test('renews no lease after the end of the connection, and settles when the lease has expired', async () => {
    const { store, verbs } = watchedStore()
    const lease = 150
    const { handler, over } = site(
      { policies: { slots: concurrency({ limit: 1, lease }), five }, store, count: 'successes' },
      () => {},
    )
    const ask = await begin(handler)
    const client = ask()
    await vi.waitFor(() => expect(verbs).toContain('renew'))
    client.leave()
    await over(1)
    const renewals = verbs.length
    const since = performance.now()
    await vi.waitFor(() => expect(verbs.slice(renewals)).toEqual(['release', 'refundReceipt']))
    expect(performance.now() - since > lease / 2).toBe(true)
  })
})

test('holds a lease after the client disconnects, until the handler ends the response', async () => {
  const { store, verbs } = watchedStore()
  const left: Answering[] = []
  const { handler, over } = site({ policy: slots, store, key: 'all' }, (response) =>
    left.push(response),
  )
  const ask = await startHttp1(handler)
  const client = ask()
  await vi.waitFor(() => expect(left.length).toBe(1))
  client.leave()
  await over(1)
  expect(verbs).toEqual(['consume'])
  left[0].end('nobody reads this')
  await vi.waitFor(() => expect(verbs).toEqual(['consume', 'release']))
})

test('holds a lease until all handlers of a request are done', async () => {
  const { store, verbs } = watchedStore()
  const ends: (() => void)[] = []
  const { handler, over } = site({ policy: slots, store, key: 'all' }, (response) => {
    for (let i = 0; i < 2; i++) {
      followHandler(response, new Promise<void>((resolve) => ends.push(resolve)))
    }
    response.end()
  })
  const ask = await startHttp1(handler)
  await ask().whole()
  await over(1)
  ends[0]()
  await setImmediate()
  expect(verbs).toEqual(['consume'])
  ends[1]()
  await vi.waitFor(() => expect(verbs).toEqual(['consume', 'release']))
})

test('consumes at the start, so that a parallel burst cannot exceed the limit', async () => {
  const store = memoryStore()
  const waiting: Answering[] = []
  const { handler, actions, over } = site(
    { policy: fixedWindow({ limit: 3, window: '1m' }), store, count: 'failures', key: 'all' },
    (response) => waiting.push(response),
  )
  const ask = await startHttp1(handler)
  const answers = [1, 2, 3, 4, 5].map(async () => ask('/x').whole())
  await vi.waitFor(() => expect(actions.length).toBe(5))
  expect(actions.map(({ type }) => type).sort()).toEqual([
    'continue',
    'continue',
    'continue',
    'deny',
    'deny',
  ])
  for (const response of waiting) response.end()
  await Promise.all(answers)
  await over(5)
  expect(limiterOf(five, store).status('all').policies['default'].used).toBe(0)
})

test('passes the outcome of the request to the function', async () => {
  const outcomes: ResponseOutcome[] = []
  const { handler, over } = site(
    { policy: five, count: (outcome) => outcomes.push(outcome) > 0 },
    (response, user) => endings[user](response),
  )
  const ask = await startHttp1(handler)
  for (const user of ['good', 'bad', 'cut']) await visit(ask, user)
  await over(3)
  expect(outcomes).toEqual([
    { status: 200, aborted: false },
    { status: 400, aborted: false },
    { status: 200, aborted: true },
  ])
})

const boom = new Error('boom')
test.each<[string, () => boolean | PromiseLike<boolean>, string]>([
  [
    'throws',
    () => {
      throw boom
    },
    'boom',
  ],
  ['rejects', () => Promise.reject(boom), 'boom'],
  [
    'throws a value that is not an error',
    () => {
      throw Object.create(null)
    },
    '[Object: null prototype] {}',
  ],
])('counts the request and warns if the function %s', async (_, count, message) => {
  const messages = warnings()
  const store = memoryStore()
  const { handler, over } = site({ policy: five, store, count, key: 'all' }, (response) =>
    response.end(),
  )
  const ask = await startHttp1(handler)
  await ask().whole()
  await over(1)
  expect(messages.filter((text) => !text.startsWith('rateLimit'))).toEqual([message])
  expect(limiterOf(five, store).status('all').policies['default'].used).toBe(1)
})

test('warns if the store fails after the response, and the process continues', async () => {
  const messages = warnings()
  const { store } = watchedStore((verb) => verb !== 'consume')
  const { handler, over } = site(
    { policies: { slots, five }, store, count: 'failures', resetOn: 'success' },
    (response) => response.end(),
  )
  const ask = await startHttp1(handler)
  await ask().whole()
  await over(1)
  expect(messages.filter((text) => !text.startsWith('rateLimit'))).toEqual([
    expect.stringContaining('closed'),
  ])
})

test('a success resets the failures before it, of the same key only', async () => {
  const store = memoryStore()
  const limiter = limiterOf(five, store)
  const { handler, over } = site(
    { policy: five, store, count: 'failures', resetOn: 'success', key: ({ user }) => [user ?? ''] },
    (response, user) => (user === 'ada' ? response.end() : endings['bad'](response)),
  )
  limiter.consume(['ada'], { cost: 4 })
  limiter.consume(['bob'], { cost: 3 })
  const ask = await startHttp1(handler)
  await ask('/ada').whole()
  await ask('/bob').whole()
  await over(2)
  expect(limiter.status(['ada']).policies['default'].used).toBe(0)
  expect(limiter.status(['bob']).policies['default'].used).toBe(4)
})

test('a success resets each policy by its own key, except policies without a key and leases of other requests', async () => {
  const store = memoryStore()
  const policies = Object.fromEntries([
    ['user', five],
    ['address', five],
    ['__proto__', five],
    ['constructor', five],
    ['slots', slots],
  ])
  const limiter = limiterOf(policies, store)
  const keys = Object.fromEntries(Object.keys(policies).map((policy) => [policy, `the ${policy}`]))
  limiter.consume(keys)
  const { handler, over } = site(
    { policies, store, resetOn: 'success', key: { ...keys, address: notLimited } },
    (response) => response.end(),
  )
  const ask = await startHttp1(handler)
  await ask().whole()
  await over(1)
  const used = Object.entries(limiter.status(keys).policies).map(([policy, { used }]) => [
    policy,
    used,
  ])
  expect(used).toEqual([
    ['user', 0],
    ['address', 1],
    ['__proto__', 0],
    ['constructor', 0],
    ['slots', 1],
  ])
})

test('a success resets only the named policies, so that it gives no new attempts at other accounts', async () => {
  const store = memoryStore()
  const policies = { account: five, address: five }
  const limiter = limiterOf(policies, store)
  const { handler, over } = site(
    {
      policies,
      store,
      key: { account: ({ user = '' }) => user, address: 'one' },
      count: 'failures',
      resetOn: { success: ['account'] },
    },
    (response, user) => (user === 'mallory' ? response.end() : endings['bad'](response)),
  )
  const ask = await startHttp1(handler)
  for (const user of ['ada', 'mallory', 'ada', 'mallory']) await ask(`/${user}`).whole()
  await over(4)
  const used = (account: string) =>
    Object.values(limiter.status({ account, address: 'one' }).policies).map(({ used }) => used)
  expect([used('ada'), used('mallory')]).toEqual([
    [2, 2],
    [0, 2],
  ])
})

test('the success of a denied request that continues resets the failures before it', async () => {
  const { store, verbs, memory } = watchedStore()
  const { handler, over } = site(
    {
      policies: { five, slots },
      store,
      key: 'all',
      count: 'failures',
      resetOn: 'success',
      onDenied: () => 'continue',
    },
    (response) => response.end(),
  )
  limiterOf({ five, slots }, memory).penalize({ five: 'all', slots: notLimited }, 9)
  const ask = await startHttp1(handler)
  await ask().whole()
  await over(1)
  await vi.waitFor(() => expect(verbs).toEqual(['consume', 'reset']))
  expect(limiterOf(five, memory).status('all').policies['default'].used).toBe(0)
})

test('listens to the end of a denied request that continues only for `resetOn`', async () => {
  const { store, verbs } = watchedStore()
  const outcomes: ResponseOutcome[] = []
  const { handler, over } = site(
    {
      policy: fixedWindow({ limit: 0, window: '1m' }),
      store,
      count: (outcome) => outcomes.push(outcome) > 0,
      resetOn: 'success',
      onDenied: () => 'continue',
    },
    (response) => ((response.statusCode = 401), response.end()),
  )
  const ask = await startHttp1(handler)
  await ask().whole()
  await over(1)
  expect([verbs, outcomes]).toEqual([['consume'], []])
})

test('the success of a denied request that continues allows no request early', async () => {
  const { store, verbs } = watchedStore()
  const { handler, over, actions } = site(
    {
      policies: { five: fixedWindow({ limit: 0, window: '1m' }), slots },
      store,
      count: 'failures',
      resetOn: 'success',
      onDenied: () => 'degraded',
    },
    () => {},
  )
  const ask = await startHttp1(handler)
  await ask().whole()
  await over(1)
  expect(actions.map(({ type }) => type)).toEqual(['handle'])
  expect(verbs).toEqual(['consume'])
})

test('settles allowed requests only in a dry run', async () => {
  const { store, verbs } = watchedStore()
  const { handler, over, actions } = site(
    {
      policy: concurrency({ limit: 1, lease: '1m' }),
      store,
      dryRun: true,
      key: 'all',
      releaseOn: 'close',
    },
    (response, user) => (user === 'first' ? response.write('some') : response.end()),
  )
  const ask = await startHttp1(handler)
  const first = ask('/first')
  await first.begun()
  await ask('/second').whole()
  await over(1)
  expect(actions.map(({ type, decision }) => [type, decision?.allowed])).toEqual([
    ['continue', true],
    ['continue', false],
  ])
  expect(verbs).toEqual(['consume', 'consume'])
  first.leave()
  await over(2)
  expect(verbs).toEqual(['consume', 'consume', 'release'])
})

test('adds no listener to a response that needs no settlement', async () => {
  const listened: string[] = []
  const once = (event: string) => void listened.push(event)
  const guard = createGuard({ policy: five, key: 'all', clock })
  await guard.check(viewOf({}), { ...response, once })
  expect(listened).toEqual([])
})

test('renews a lease while the response streams, and stops when it ends', async () => {
  const { store, verbs } = watchedStore()
  const lease = 240
  const { handler, actions, over } = site(
    {
      policy: concurrency({ limit: 1, lease }),
      store,
      key: 'all',
      clock: Date.now,
      releaseOn: 'close',
    },
    (response) => response.write('event'),
  )
  const ask = await startHttp1(handler)
  const stream = ask()
  await stream.begun()
  // Without a renewal, the lease would have expired before the third.
  await vi.waitUntil(() => verbs.filter((verb) => verb === 'renew').length > 4)
  await ask().whole()
  stream.leave()
  await over(2)
  expect(actions.map(({ type }) => type)).toEqual(['continue', 'deny'])
  const before = verbs.length
  await new Promise((resolve) => setTimeout(resolve, lease))
  expect(verbs.slice(before)).toEqual([])
  expect(verbs.filter((verb) => verb !== 'renew')).toEqual(['consume', 'consume', 'release'])
})

test('releases the leases of pipelined requests when their client disconnects', async () => {
  const store = memoryStore()
  const { handler, actions } = site(
    { policy: slots, store, key: 'all', releaseOn: 'close' },
    () => {},
  )
  const client = await dial(handler)
  client.write(
    'GET /1 HTTP/1.1\r\nHost: localhost\r\n\r\nGET /2 HTTP/1.1\r\nHost: localhost\r\n\r\n',
  )
  await vi.waitFor(() => expect(actions.length).toBe(2))
  const used = () => limiterOf(slots, store).status('all').policies['default'].used
  expect(used()).toBe(2)
  client.destroy()
  await vi.waitFor(() => expect(used()).toBe(0))
})

test.each<[Options['releaseOn'], string[], string[]]>([
  ['close', ['consume', 'release', 'refundReceipt'], ['consume', 'release', 'refundReceipt']],
  ['done', ['consume'], ['consume', 'release', 'refundReceipt']],
])(
  'refunds on %s if the client disconnected during the call to the store',
  async (releaseOn, first, last) => {
    const { store, verbs } = watchedStore()
    const guard = createGuard({
      policies: { five, slots },
      store,
      key: 'all',
      clock,
      count: 'successes',
      ...(releaseOn && { releaseOn }),
    })
    const gone = { ...response, destroyed: true }
    await guard.check(viewOf({}), gone)
    await setImmediate()
    expect(verbs).toEqual(first)
    followHandler(gone, Promise.resolve())
    await setImmediate()
    expect(verbs).toEqual(last)
  },
)
