import { setTimeout as delay } from 'node:timers/promises'
import { createLimiter, fixedWindow, redisStore, type AsyncStore } from '@sluice/core'
import { sizedAlgorithms } from '@sluice/conformance'
import { useRedis } from '@sluice/test-kit/redis'
import { describe, expect, test } from 'vitest'

const server = useRedis()

function storeOf(prefix = 'sluice'): AsyncStore {
  return redisStore(server.connection, { timeout: '10s', prefix })
}

// State is kept for a second more than it counts, for a clock that steps back, and to the next whole second. These tests wait for that at the same time.
describe.concurrent('expired state', () => {
  test('expired state is deleted soon, by the server’s clock', async () => {
    const limiters = sizedAlgorithms.map(({ name, sample }) =>
      createLimiter({ name, policies: sample(2, 40).policy, store: storeOf('short') }),
    )
    for (const limiter of limiters) {
      expect((await limiter.consume('key', { cost: 2 })).remaining).toBe(0)
    }
    const hashes = (await server.connection.keys('short:*')).filter((key) => key.endsWith('}'))
    expect(hashes.length).toBe(sizedAlgorithms.length)
    await delay(2 * 40 + 10)
    for (const limiter of limiters) expect((await limiter.peek('key')).remaining).toBe(2)
    await delay(2000)
    expect(await server.connection.keys('short:*')).toEqual([])
  })

  test('an exemption of a key without counts is kept as long as it lasts and a second, to the next whole one, and then the key is deleted', async () => {
    const policies = fixedWindow({ limit: 5, window: '1h' })
    const limiter = createLimiter({ name: 'exempt', policies, store: storeOf(), denyCache: false })
    const state = 'sluice:exempt:1{key}'
    await limiter.exempt('key', '2h')
    expect(await server.connection.hkeys(state)).toEqual([':o'])
    const livesMs = await server.connection.pttl(state)
    expect([livesMs > 7_200_000, livesMs <= 7_202_000]).toEqual([true, true])
    await limiter.unexempt('key')
    expect(await server.connection.exists(state)).toBe(0)
    await limiter.exempt('key', '50ms')
    await delay(60)
    expect('exempt' in (await limiter.peek('key'))).toBe(false)
    expect(await server.connection.exists(state)).toBe(1)
    await delay(2000)
    expect(await server.connection.exists(state)).toBe(0)
  })
})
