import { randomUUID } from 'node:crypto'
import { createLimiter, redisStore, slidingLog, type Limiter } from '@sluice/core'
import { useRedis } from '@sluice/test-kit/redis'
import { describe, expect, test } from 'vitest'

const server = useRedis()
const start = 1_763_683_200_000

describe('of a log in Redis', () => {
  let now = start

  test.each([
    ['a refund by count', async (limiter: Limiter) => limiter.refund('key', 290)],
    [
      'the end of most of it',
      async (limiter: Limiter) => {
        now += 100_000 - 11
        await limiter.consume('key')
      },
    ],
  ])('only the chunks that have records are left after %s', async (_, change) => {
    now = start
    const store = redisStore(server.connection, { timeout: '20s' })
    const name = randomUUID()
    const policies = slidingLog({ limit: 1000, window: 100_000 })
    const limiter = createLimiter({ name, policies, store, clock: () => now })
    for (let i = 0; i < 300; i++) {
      now++
      await limiter.consume('key')
    }
    await change(limiter)
    const keys = await server.connection.keys(`sluice:${name}:1{*`)
    const body = keys.find((key) => key !== `sluice:${name}:1{key}`) ?? ''
    expect((await server.connection.hkeys(body)).length).toBe(1)
  })
})
