import { randomUUID } from 'node:crypto'
import {
  createLimiter,
  memoryStore,
  slidingLog,
  type Decision,
  type Limiter,
  type Store,
} from '@sluice/core'
import { patienceMs } from '@sluice/conformance'
import { useRedis } from '@sluice/conformance/redis'
import { beforeAll, describe, expect, test } from 'vitest'
import { createRedisStore } from '../../core/src/stores/redis/index.js'

const server = useRedis()

/** By the script of single requests: by those of plans, calls about one key at different times of an injected clock wait for each other. */
function redis(): Store {
  return createRedisStore(server.connection, { timeout: '1m' }, false)
}

const start = 1_763_683_200_000

describe('a refund in a log of 30,000 records', () => {
  const count = 30_000
  const policies = slidingLog({ limit: count, window: '1h' })

  let inRedis: Awaited<ReturnType<typeof filled>>
  let inMemory: typeof inRedis
  beforeAll(async () => {
    inRedis = await filled(redis())
    inMemory = await filled(memoryStore())
  }, 3 * patienceMs)

  async function filled(store: Store) {
    let now = start
    const limiter = createLimiter({ name: randomUUID(), policies, store, clock: () => now })
    const decisions: Decision[] = []
    for (let i = 0; i < count; i += 500) {
      const some = Array.from({ length: 500 }, () => (now++, limiter.consume('key')))
      decisions.push(...(await Promise.all(some)))
    }
    return { limiter, decisions }
  }

  test('writes as many fields in Redis for the oldest record as for any other, and reads about as many', async () => {
    const written: number[] = []
    const read: number[] = []
    const micros: number[] = []
    for (const at of [0, 1, 62, 12_000, 21_001, count - 200, count - 2]) {
      await server.connection.config('RESETSTAT')
      await inRedis.limiter.refund(inRedis.decisions[at])
      const stats = await server.connection.info('commandstats')
      written.push(Number(/cmdstat_hset:calls=(\d+)/.exec(stats)?.[1]))
      read.push(Number(/cmdstat_hget:calls=(\d+)/.exec(stats)?.[1]))
      micros.push(Number(/cmdstat_evalsha:calls=\d+,usec=(\d+)/.exec(stats)?.[1]))
      expect(inMemory.limiter.refund(inMemory.decisions[at])).toBe(true)
      await expectSame(inRedis.limiter, inMemory.limiter)
    }
    // A chunk and a field of each level of the corrections; of the newest chunk only the chunk.
    expect(written).toEqual([5, 5, 5, 5, 5, 5, 1])
    expect(read.filter((calls) => calls > 12)).toEqual([])
    // Writing all later records would take over 60 ms.
    expect(micros.filter((usec) => usec > 20_000)).toEqual([])
  })

  test('takes about as long for the oldest as for the newest in memory', async () => {
    const { limiter, decisions } = await filled(memoryStore())
    async function timeOf(some: readonly Decision[]): Promise<number> {
      const begun = performance.now()
      for (const decision of some) await limiter.refund(decision)
      return performance.now() - begun
    }
    const oldest = await timeOf(decisions.slice(0, 1000))
    const newest = await timeOf(decisions.slice(-1001, -1))
    expect(oldest < 10 * newest).toBe(true)
  })

  test('hundreds of refunds leave correct decisions', async () => {
    for (let from = 0; from < count; from += 3000) {
      const chosen = Array.from({ length: 90 }, (_, i) => from + 33 * i + 2)
      for (const { limiter, decisions } of [inRedis, inMemory]) {
        await Promise.all(chosen.map((at) => limiter.refund(decisions[at])))
      }
      await expectSame(inRedis.limiter, inMemory.limiter)
    }
    expect((await inRedis.limiter.peek('key')).remaining).toBe(907)
  })

  async function expectSame(one: Limiter, other: Limiter): Promise<void> {
    for (const cost of [1, 100, 9000, 29_700, count]) {
      expect(await one.peek('key', { cost })).toEqual(await other.peek('key', { cost }))
    }
  }
})
