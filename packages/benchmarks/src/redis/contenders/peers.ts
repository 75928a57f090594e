import { threeLimits } from '../../memory/contender.js'
import { consuming, limit, windowMs } from '../../deciding.js'
import type { Contender } from './contender.js'

// Each peer is called through the store that its middleware calls, over ioredis, as its documentation sets it up. @upstash/ratelimit is
// not among them: its client speaks HTTP to a service, not the protocol of Redis.

const rateLimiterFlexible: Contender = {
  name: 'rate-limiter-flexible',
  async open(storeClient) {
    const { RateLimiterRedis } = await import('rate-limiter-flexible')
    return consuming(
      new RateLimiterRedis({ storeClient, points: limit, duration: windowMs / 1000 }),
    )
  },
  async openThree(storeClient) {
    const { RateLimiterRedis, RateLimiterUnion } = await import('rate-limiter-flexible')
    const limiters = threeLimits(limit).map(
      (each) =>
        new RateLimiterRedis({
          storeClient,
          keyPrefix: `${each.windowMs}`,
          points: each.limit,
          duration: each.windowMs / 1000,
        }),
    )
    return consuming(new RateLimiterUnion(...limiters))
  },
}

const expressRateLimit: Contender = {
  name: 'express-rate-limit, rate-limit-redis',
  async open(client) {
    const { rateLimit } = await import('express-rate-limit')
    const { rateLimitRedis } = await import('./rate-limit-redis.js')
    const store = rateLimitRedis(client)
    rateLimit({ store, limit, windowMs })
    return async (key) => (await store.increment(key)).totalHits <= limit
  },
}

const fastifyRateLimit: Contender = {
  name: '@fastify/rate-limit',
  async open(client) {
    const { default: RedisStore } = await import('@fastify/rate-limit/store/RedisStore.js')
    const store = new RedisStore(false, false, client)
    return async (key) =>
      new Promise((resolve, reject) => {
        store.incr(
          key,
          (error, found) => {
            if (found === null) reject(error ?? new Error('no result'))
            else resolve(found.current <= limit)
          },
          windowMs,
          limit,
        )
      })
  },
}

const koaRatelimit: Contender = {
  name: 'koa-ratelimit',
  async open(client) {
    const { default: Limiter } = await import('koa-ratelimit/limiter/redis.js')
    // Its middleware makes a limiter for each request as well.
    return async (id) => {
      const limiter = new Limiter({ id, db: client, max: limit, duration: windowMs })
      return (await limiter.get()).remaining > 0
    }
  },
}

const nestThrottler: Contender = {
  name: '@nestjs/throttler, throttler-storage-redis',
  async open(client) {
    const { ThrottlerStorageRedisService } = await import('@nest-lab/throttler-storage-redis')
    const storage = new ThrottlerStorageRedisService(client)
    return async (key) => {
      const { isBlocked } = await storage.increment(key, windowMs, limit, windowMs, 'default')
      return !isBlocked
    }
  },
  async openThree(client) {
    const { ThrottlerStorageRedisService } = await import('@nest-lab/throttler-storage-redis')
    const storage = new ThrottlerStorageRedisService(client)
    const policies = threeLimits(limit)
    // Its guard asks for one policy after the other, each under a key of its own.
    return async (key) => {
      for (const { limit: most, windowMs: ttl } of policies) {
        const name = `${ttl}`
        const { isBlocked } = await storage.increment(`${name}:${key}`, ttl, most, ttl, name)
        if (isBlocked) return false
      }
      return true
    }
  },
}

export const peers: readonly Contender[] = [
  rateLimiterFlexible,
  expressRateLimit,
  fastifyRateLimit,
  koaRatelimit,
  nestThrottler,
]
