import { randomUUID } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  gcra,
  memoryStore,
  redisStore,
  type AsyncStore,
  type Keys,
  type Limiter,
  type Policies,
} from '@sluice/core'
import { useRedis } from '@sluice/test-kit/redis'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { bothStores } from '../both-stores.js'

const server = useRedis()

const hourly = fixedWindow({ limit: 1, window: '1h' })

type Change = (limiter: Limiter, key: Keys) => unknown

/** The policies of a key, the change that denies it, and the change that allows it again. */
const changes: [string, Policies, Change, Change][] = [
  ['unblock', gcra({ limit: 9, window: 1000 }), block, (limiter, key) => limiter.unblock(key)],
  ['exempt', hourly, take, (limiter, key) => limiter.exempt(key, '1h')],
  ['exempt, of a block', hourly, block, (limiter, key) => limiter.exempt(key, '1h')],
  ['reset', hourly, take, (limiter, key) => limiter.reset(key)],
  ['reset, of a block', hourly, block, (limiter, key) => limiter.reset(key, { unblock: true })],
  ['refund of units', hourly, take, (limiter, key) => limiter.refund(key, 1)],
]

function take(limiter: Limiter, key: Keys): unknown {
  return limiter.consume(key)
}

function block(limiter: Limiter, key: Keys): unknown {
  return limiter.block(key, '30m')
}

describe.each(bothStores(server))(
  'on $where, a change by this process is seen at once',
  ({ makeStore }) => {
    test.each(changes)('%s', async (_, policies, stop, lift) => {
      const limiter: Limiter = createLimiter({ name: randomUUID(), policies, store: makeStore() })
      await stop(limiter, 'key')
      const waiting = limiter.acquire('key')
      expect(await isWaiting(limiter, waiting)).toBe(true)
      await lift(limiter, 'key')
      const fresh = limiter.acquire('key', { maxWait: '100ms' })
      expect((await waiting).allowed).toBe(true)
      // It is decided behind the other one, by what is left.
      expect((await fresh).allowed).toBe((await limiter.peek('key')).exempt ?? policies !== hourly)
    })

    test('a refund of a decision, and a release', async () => {
      const limiter = createLimiter({
        name: randomUUID(),
        policies: { hour: hourly, open: concurrency({ limit: 1, lease: '1h' }) },
        store: makeStore(),
      })
      const first = await limiter.consume('key')
      const waiting = [limiter.acquire('key'), limiter.acquire('key')]
      await isWaiting(limiter, waiting[0])
      await limiter.refund(first)
      const second = await waiting[0]
      expect([second.allowed, await isWaiting(limiter, waiting[1])]).toEqual([true, true])
      await second.lease?.release()
      await limiter.refund('key', 1, { policies: { hour: hourly } })
      expect((await waiting[1]).allowed).toBe(true)
    })

    test('a change of one of its policies, by that key alone', async () => {
      const limiter = createLimiter({
        name: randomUUID(),
        policies: { user: hourly, tenant: hourly },
        store: makeStore(),
      })
      await limiter.consume({ user: 'ada', tenant: 'acme' })
      const waiting = limiter.acquire({ user: 'ada', tenant: 'acme' })
      const other = limiter.acquire({ user: 'bob', tenant: 'acme' })
      await isWaiting(limiter, waiting)
      await limiter.reset('ada', { policies: { user: hourly } })
      expect(await isWaiting(limiter, waiting)).toBe(true)
      await limiter.reset('acme', { policies: { tenant: hourly } })
      const allowed = await Promise.race([waiting, other])
      expect(allowed.allowed).toBe(true)
      await limiter.reset('acme', { policies: { tenant: hourly } })
      expect((await Promise.all([waiting, other])).map((one) => one.allowed)).toEqual([true, true])
    })

    test('a change by another limiter of the same name and store', async () => {
      const store = makeStore()
      const name = randomUUID()
      const [api, desk] = [0, 1].map(() => createLimiter({ name, policies: hourly, store }))
      await api.block('key', '1h')
      const waiting = api.acquire('key')
      await isWaiting(api, waiting)
      await desk.unblock('key')
      expect((await waiting).allowed).toBe(true)
    })

    test('a call with a higher limit does not wait for those that a lower one denies', async () => {
      const limiter = createLimiter({ name: randomUUID(), policies: hourly, store: makeStore() })
      await limiter.consume('key')
      const leaving = new AbortController()
      const waiting = limiter.acquire('key', { signal: leaving.signal })
      await isWaiting(limiter, waiting)
      const policies = fixedWindow({ limit: 2, window: '1h' })
      expect((await limiter.acquire('key', { policies, maxWait: 1 })).allowed).toBe(true)
      leaving.abort('enough')
      await expect(waiting).rejects.toBe('enough')
    })
  },
)

describe('a change by another process', () => {
  test.concurrent.each(changes)('is seen within a second: %s', async (_, policies, stop, lift) => {
    const name = randomUUID()
    const [limiter, other] = [0, 1].map((): Limiter => {
      return createLimiter({
        name,
        policies,
        store: redisStore(server.client(), { timeout: '20s' }),
      })
    })
    await stop(limiter, 'key')
    const waiting = limiter.acquire('key')
    await isWaiting(limiter, waiting)
    await lift(other, 'key')
    expect(await waiting).toMatchObject({ allowed: true, source: 'store' })
  })
})

describe('the polls of a call that waits', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('ask a shared store each second, start no block, and count as no decision', async () => {
    const memory = memoryStore()
    const verbs: string[] = []
    const store: AsyncStore = {
      async: true,
      async run(requests) {
        verbs.push(...requests.map(({ verb }) => verb))
        return requests.map(memory.run)
      },
      ping: async () => true,
      async close() {},
    }
    const limiter = createLimiter({
      name: 'polls',
      policies: fixedWindow({ limit: 1, window: 5000, block: { for: 3000, on: 'exceeded' } }),
      clock: () => Math.floor(performance.now()),
      store,
    })
    await limiter.consume('key')
    const waiting = limiter.acquire('key', { maxWait: '1m' })
    await vi.advanceTimersByTimeAsync(4900)
    const polls = verbs.slice(2)
    expect([new Set(polls), polls.length]).toEqual([new Set(['peek']), 5])
    await vi.advanceTimersByTimeAsync(200)
    expect(await waiting).toMatchObject({ allowed: true })
    expect(verbs.at(-1)).toBe('consume')
  })
})

/** Whether a call still waits after others have been answered. */
async function isWaiting(limiter: Limiter, call: Promise<unknown>): Promise<boolean> {
  for (let i = 0; i < 3; i++) {
    await limiter.peek('other')
    await turn()
  }
  return Promise.race([call.then(() => false), turn(true)])
}
