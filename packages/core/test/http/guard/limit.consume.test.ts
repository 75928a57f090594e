import type { EventEmitter } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  leakyQueue,
  memoryStore,
  type AsyncStore,
  type Limiter,
  type MemoryStore,
  type Policy,
} from '../../../src/index.js'
import { sluiceError } from '../../../src/errors.js'
import { createGuard, type Action, type NodeResponse } from '../../../src/http/index.js'
import { rejectionOf } from '../../error-of.js'
import { startHttp1, startHttp2, type Answering } from '../servers.js'
import {
  noHeaders,
  fieldsOf,
  response,
  start,
  viewOf,
  type Handler,
  type Options,
  type Visit,
} from '../visit.js'

const wentAway = {
  type: 'deny',
  decision: undefined,
  headers: [],
  status: 499,
  body: '',
  violated: [],
}
const one = fixedWindow({ limit: 1, window: '1m' })
const slot = concurrency({ limit: 1, lease: '1m' })

function limiterOf(policy: Policy, store: MemoryStore): Limiter<MemoryStore> {
  return createLimiter({ name: 'x', policies: policy, store, clock: () => start })
}

function guardOf(options: Options): (at?: NodeResponse) => Promise<Action<unknown>> {
  const guard = createGuard({ name: 'x', key: 'all', clock: () => start, ...options })
  return (at = response) => guard.check(viewOf({}), at, noHeaders)
}

test('a request waits until it is allowed', async () => {
  const store = memoryStore()
  const limiter = limiterOf(slot, store)
  const { lease } = limiter.consume('all')
  const check = guardOf({ policies: slot, store, wait: { max: '1m' } })
  const waiting = check()
  expect(await Promise.race([waiting, setImmediate('waiting')])).toBe('waiting')
  lease?.release()
  expect(await waiting).toMatchObject({ type: 'continue', decision: { allowed: true } })
})

test('denies immediately if `max` is too short to be allowed', async () => {
  const check = guardOf({ policies: one, wait: { max: '1s' } })
  await check()
  expect(await check()).toMatchObject({ type: 'deny', status: 429 })
})

test('no request waits in a dry run', async () => {
  const queue = leakyQueue({ leak: 1, every: '1m', maxDelay: '1h' })
  for (const policy of [one, queue]) {
    const check = guardOf({ policies: policy, wait: { max: '1h' }, dryRun: true })
    await check()
    expect((await check()).type).toBe('continue')
  }
})

test('allows no request with an invalid cost', async () => {
  const check = guardOf({ policies: one, wait: { max: '1s' }, cost: () => 1.5 })
  expect((await rejectionOf(check())).code).toBe('SLUICE_COST_INVALID')
})

test('consumes nothing for a client that disconnected before the call to the limiter', async () => {
  const gone = { ...response, destroyed: true }
  const store = memoryStore()
  const queue = leakyQueue({ leak: 1, every: '1m', maxDelay: '1h' })
  expect(await guardOf({ policies: one, store, wait: { max: '1m' } })(gone)).toEqual(wentAway)
  expect(limiterOf(one, store).status('all').policies['default'].used).toBe(0)

  const line = memoryStore()
  limiterOf(queue, line).consume('all')
  expect(await guardOf({ policies: queue, store: line })(gone)).toEqual(wentAway)
  expect(limiterOf(queue, line).consume('all').delayMs).toBe(60_000)
})

/** The listeners of the response and of the stream of HTTP/2. */
function closeListenersOf(response: Answering): number {
  const { stream } = response
  const onStream =
    stream === undefined ? 0 : (stream as unknown as EventEmitter).listenerCount('close')
  return response.listenerCount('close') + onStream
}

describe.each([
  ['HTTP/1', startHttp1],
  ['HTTP/2', startHttp2],
] as const)('%s', (_, begin) => {
  test('a client that disconnects stops waiting, and the next one is allowed', async () => {
    const store = memoryStore()
    const limiter = limiterOf(slot, store)
    const { lease } = limiter.consume('all')
    const check = guardOf({ policies: slot, store, wait: { max: '1m' } })
    const actions: Record<string, Action<unknown>> = {}
    const responses: Answering[] = []
    async function serve(answering: Answering, url: string): Promise<void> {
      responses.push(answering)
      actions[url] = await check(answering)
      answering.end('in')
    }
    const ask = await begin((answering, url) => void serve(answering, url))
    const first = ask('/first')
    await vi.waitUntil(() => responses.length === 1)
    const listeners = () => closeListenersOf(responses[0])
    const before = listeners()
    const second = ask('/second')
    await vi.waitUntil(() => responses.length === 2)
    first.leave()
    await vi.waitUntil(() => '/first' in actions)
    expect(actions).toEqual({ '/first': wentAway })
    // The test's own listener, and that of the HTTP/1 server, which is removed with the connection.
    expect(listeners() < before).toBe(true)
    lease?.release()
    expect(await second.whole()).toBe('in')
    expect(actions['/second']).toMatchObject({ type: 'continue' })
    await vi.waitFor(() => expect(limiter.status('all').policies['default'].used).toBe(0))
  })

  test('refunds a client that disconnects while a leaky queue delays it', async () => {
    const queue = leakyQueue({ leak: 1, every: '1m', maxDelay: '1h' })
    const store = memoryStore()
    const limiter = limiterOf(queue, store)
    limiter.consume('all')
    const check = guardOf({ policies: queue, store })
    const actions: Action<unknown>[] = []
    let asked = 0
    async function serve(answering: Answering): Promise<void> {
      asked++
      actions.push(await check(answering))
    }
    const ask = await begin((answering) => void serve(answering))
    const client = ask()
    await vi.waitUntil(() => asked === 1)
    client.leave()
    await vi.waitUntil(() => actions.length === 1)
    expect(actions).toEqual([wentAway])
    expect(limiter.consume('all').delayMs).toBe(60_000)
  })
})

test('delays a request for as long as a leaky queue requires', async () => {
  const queue = leakyQueue({ leak: 1, every: 40, maxDelay: '1s' })
  const guard = createGuard({ policies: queue, key: 'all' })
  const started = performance.now()
  await guard.check(viewOf({}), response, noHeaders)
  const action = await guard.check(viewOf({}), response, noHeaders)
  expect(action.type).toBe('continue')
  expect(performance.now() - started > 35).toBe(true)
})

describe('the decision on a request that a leaky queue delays has the numbers of the moment at which it was made, and no delay', () => {
  const queue = leakyQueue({ leak: 1, every: 40, maxDelay: 80 })
  // The second is delayed for 80 ms and takes 960: the queue is idle 1040 ms after the decision.
  const sizes = [2, 24]

  test.each([
    ['with "wait"', { wait: { max: '1m' } }],
    ['without', {}],
  ] as const)('%s', async (_, waiting) => {
    const store = memoryStore()
    const guard = createGuard<Visit, Handler>({
      name: 'x',
      key: 'all',
      policies: queue,
      store,
      headers: 'legacy',
      clock: () => start,
      cost: ({ size = 1 }) => size,
      ...waiting,
    })
    const actions = await Promise.all(
      sizes.map((size) => guard.check(viewOf({ size }), response, noHeaders)),
    )
    const delayed = actions[1]
    expect(delayed.decision).toMatchObject({
      allowed: true,
      delayMs: 0,
      remaining: 0,
      resetMs: 1040,
      policies: { default: { delayMs: 0, remaining: 0, resetMs: 1040 } },
    })
    expect(fieldsOf(delayed)).toEqual({
      'X-RateLimit-Limit': '3',
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': '2',
    })
  })

  test('without the units that other requests consumed in the meantime', async () => {
    const store = memoryStore()
    const check = guardOf({ policies: queue, store })
    const limiter = limiterOf(queue, store)
    limiter.consume('all')
    const delayed = check()
    await setImmediate()
    limiter.consume('all')
    const { decision } = await delayed
    expect(decision?.policies['default'].used).toBe(2)
    expect(limiter.status('all').policies['default'].used).toBe(3)
  })

  test('also if the store failed in the meantime', async () => {
    const memory = memoryStore()
    let isClosed = false
    const store: AsyncStore = {
      async: true,
      run: async (requests) =>
        requests.map((asked) =>
          isClosed ? sluiceError('SLUICE_STORE_CLOSED', 'x') : memory.run(asked),
        ),
      ping: async () => true,
      close: async () => {},
    }
    const guard = createGuard({ name: 'x', key: 'all', policies: queue, store, clock: () => start })
    const actions = [1, 2].map(() => guard.check(viewOf({}), response, noHeaders))
    await setImmediate()
    isClosed = true
    const { decision } = (await Promise.all(actions))[1]
    expect(decision).toMatchObject({ allowed: true, delayMs: 0, remaining: 1, resetMs: 80 })
  })
})

test('removes the listeners of a request that was allowed after it waited', async () => {
  const store = memoryStore()
  const { lease } = limiterOf(slot, store).consume('all')
  const check = guardOf({ policies: { default: slot }, store, wait: { max: '1m' } })
  const listeners: number[] = []
  async function serve(answering: Answering): Promise<void> {
    const count = () => answering.listenerCount('finish') + answering.listenerCount('close')
    const before = count()
    const admitted = check(answering)
    await setImmediate()
    listeners.push(count() - before)
    lease?.release()
    await admitted
    // The listeners that release the lease at the end.
    listeners.push(count() - before)
    answering.end()
  }
  const ask = await startHttp1((answering) => void serve(answering))
  await ask().whole()
  expect(listeners).toEqual([2, 2])
})
