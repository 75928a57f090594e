import { limit, windowMs, type Contender } from './contender.js'

// Each by the store that its middleware asks, over ioredis, as its documentation sets it up. @upstash/ratelimit is not among them: its client speaks
// HTTP to a service, and not the protocol of Redis.

const rateLimiterFlexible: Contender = {
  name: 'rate-limiter-flexible',
  async open(client) {
    const { RateLimiterRedis, RateLimiterRes } = await import('rate-limiter-flexible')
    const limiter = new RateLimiterRedis({
      storeClient: client,
      points: limit,
      duration: windowMs / 1000,
    })
    return async (key) => {
      try {
        await limiter.consume(key)
        return true
      } catch (error) {
        if (error instanceof RateLimiterRes) return false
        throw error
      }
    }
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
            if (found === null) reject(error ?? new Error('nothing was found'))
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
    // As its middleware does: a limiter for each request.
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
}

export const peers: readonly Contender[] = [
  rateLimiterFlexible,
  expressRateLimit,
  fastifyRateLimit,
  koaRatelimit,
  nestThrottler,
]
