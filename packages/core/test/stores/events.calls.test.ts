import { randomUUID } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import {
  createLimiter,
  fixedWindow,
  redisStore,
  type AsyncStore,
  type StoreCallEvent,
} from '@sluice/core'
import { databaseStore } from '@sluice/core/database'
import { MapDatabase } from '@sluice/test-kit/map-database'
import { useRedis } from '@sluice/test-kit/redis'
import { expect, onTestFinished, test, vi } from 'vitest'

const redis = useRedis()

const stores: readonly (readonly [name: string, make: () => AsyncStore])[] = [
  ['redis', () => redisStore(redis.client(), { timeout: '10s' })],
  ['map', () => databaseStore(new MapDatabase(), { timeout: '10s' })],
]

test.each(stores)('every request over %s is in one call', async (name, make) => {
  const calls = published()
  const limiter = limiterOver(make())
  const keys = Array.from({ length: 500 }, (_, i) => `${i}`)
  await Promise.all(keys.map((key) => limiter.consume(key)))
  await limiter.consumeMany(keys.map((key) => ({ key })))
  await limiter.penalize('0', 1)
  expect(calls.reduce((sum, { requests }) => sum + requests, 0)).toBe(1001)
  expect(calls.at(-1)).toMatchObject({ store: name, requests: 1, error: undefined })
  // Requests share calls, and each call takes some time.
  expect(calls.length < 500).toBe(true)
  expect(calls.filter(({ durationMs }) => !(durationMs > 0))).toEqual([])
})

test.each(stores)(
  'a denial that this process remembers is not a call, over %s',
  async (_, make) => {
    const calls = published()
    const limiter = limiterOver(make())
    await limiter.consume('key', { cost: 10 })
    expect((await limiter.consume('key')).source).toBe('store')
    expect(calls.length).toBe(2)
    expect((await limiter.consume('key')).source).toBe('local')
    expect(calls.length).toBe(2)
  },
)

test('a call that Redis does not answer in time has that error, and its duration', async () => {
  const store = redisStore(redis.client(), { timeout: 100 })
  const limiter = createLimiter({ name: randomUUID(), policies, store, onStoreError: 'allow' })
  await vi.waitFor(async () => expect((await limiter.consume('key')).source).toBe('store'))
  const calls = published()
  process.kill(redis.pid, 'SIGSTOP')
  onTestFinished(() => void process.kill(redis.pid, 'SIGCONT'))
  expect((await limiter.consume('key')).source).toBe('open')
  expect(calls.map(({ requests, error }) => [requests, error?.code])).toEqual([
    [1, 'SLUICE_STORE_TIMEOUT'],
  ])
  // A timer may fire up to a millisecond before its time.
  expect(calls[0].durationMs).toBeGreaterThan(98)
})

test('a request that Redis answers with an error has that error in the event of its call', async () => {
  const name = randomUUID()
  const limiter = createLimiter({ name, policies, store: stores[0][1](), onStoreError: 'allow' })
  await redis.connection.lpush(`sluice:${name}:1{taken}`, 'a list')
  const calls = published()
  await limiter.consume('taken')
  await limiter.consume('free')
  expect(calls.map(({ error }) => error?.code)).toEqual(['SLUICE_STORE_FAILED', undefined])
  expect(calls[0].error?.message).toContain('WRONGTYPE')
})

const policies = fixedWindow({ limit: 10, window: '1h' })

function limiterOver(store: AsyncStore) {
  return createLimiter({ name: randomUUID(), policies, store })
}

/** The calls to stores until the test ends. */
function published(): StoreCallEvent[] {
  const calls: StoreCallEvent[] = []
  const note = (event: unknown): void => void calls.push(event as StoreCallEvent)
  subscribe('sluice:store:call', note)
  onTestFinished(() => void unsubscribe('sluice:store:call', note))
  return calls
}
