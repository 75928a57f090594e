import { atOnce, later, type Contender } from './contender.js'

// Each by the store that its middleware asks, so that what is timed is the decision and no framework; loaded only by the process that it
// lives in. Where a library bounds how many keys it keeps, the bound is raised to those that there are.

const expressRateLimit: Contender = {
  name: 'express-rate-limit',
  async open({ limit, windowMs }) {
    const { MemoryStore, rateLimit } = await import('express-rate-limit')
    const store = new MemoryStore()
    rateLimit({ store, limit, windowMs })
    return later(
      (key) => store.increment(key),
      ({ totalHits }) => totalHits <= limit,
    )
  },
}

const honoRateLimiter: Contender = {
  name: 'hono-rate-limiter',
  async open({ limit, windowMs }) {
    const { MemoryStore, rateLimiter } = await import('hono-rate-limiter')
    const store = new MemoryStore()
    rateLimiter({ store, limit, windowMs, keyGenerator: () => '' })
    return atOnce((key) => store.increment(key).totalHits <= limit)
  },
}

const rateLimiterFlexible: Contender = {
  name: 'rate-limiter-flexible',
  async open({ limit, windowMs }) {
    const { RateLimiterMemory } = await import('rate-limiter-flexible')
    const limiter = new RateLimiterMemory({ points: limit, duration: windowMs / 1000 })
    return later(
      (key) => limiter.consume(key),
      () => true,
    )
  },
}

const fastifyRateLimit: Contender = {
  name: '@fastify/rate-limit',
  async open({ limit, windowMs, keys }) {
    const { default: LocalStore } = await import('@fastify/rate-limit/store/LocalStore.js')
    const store = new LocalStore(false, false, 2 * keys)
    return atOnce((key) => {
      let allowed = false
      store.incr(
        key,
        (_error, { current }) => {
          allowed = current <= limit
        },
        windowMs,
        limit,
      )
      return allowed
    })
  },
}

const koaRatelimit: Contender = {
  name: 'koa-ratelimit',
  async open({ limit, windowMs }) {
    const { default: Limiter } = await import('koa-ratelimit/limiter/memory.js')
    const db = new Map<string, unknown>()
    // As its middleware does: a limiter for each request.
    return later(
      (id) => new Limiter({ id, db, max: limit, duration: windowMs }).get(),
      ({ remaining }) => remaining > 0,
    )
  },
}

const nestThrottler: Contender = {
  name: '@nestjs/throttler',
  async open({ limit, windowMs }) {
    const { ThrottlerStorageService } = await import('@nestjs/throttler')
    const storage = new ThrottlerStorageService()
    // As its guard does where nothing is said: blocked for as long as the window.
    return later(
      (key) => storage.increment(key, windowMs, limit, windowMs, 'default'),
      ({ isBlocked }) => !isBlocked,
    )
  },
}

export const peers: readonly Contender[] = [
  honoRateLimiter,
  expressRateLimit,
  rateLimiterFlexible,
  fastifyRateLimit,
  koaRatelimit,
  nestThrottler,
]
