import { asynchronous, synchronous, threeLimits, type Contender } from './contender.js'

// Each peer is called through the store that its middleware calls, so that the decision is timed without a framework. Only the process of
// a peer loads it. If a library bounds the number of its keys, the bound is raised to the number of keys in the benchmark.

const expressRateLimit: Contender = {
  name: 'express-rate-limit',
  async open({ limit, windowMs }) {
    const { MemoryStore, rateLimit } = await import('express-rate-limit')
    const store = new MemoryStore()
    rateLimit({ store, limit, windowMs })
    const decider = asynchronous(
      (key) => store.increment(key),
      ({ totalHits }) => totalHits <= limit,
    )
    return { ...decider, close: () => store.shutdown() }
  },
}

const honoRateLimiter: Contender = {
  name: 'hono-rate-limiter',
  async open({ limit, windowMs }) {
    const { MemoryStore, rateLimiter } = await import('hono-rate-limiter')
    const store = new MemoryStore()
    rateLimiter({ store, limit, windowMs, keyGenerator: () => '' })
    const decider = synchronous(
      (key) => store.increment(key),
      ({ totalHits }) => totalHits <= limit,
    )
    return { ...decider, close: () => store.shutdown() }
  },
}

const rateLimiterFlexible: Contender = {
  name: 'rate-limiter-flexible',
  async open({ limit, windowMs }) {
    const { RateLimiterMemory } = await import('rate-limiter-flexible')
    const limiter = new RateLimiterMemory({ points: limit, duration: windowMs / 1000 })
    const decider = asynchronous(
      (key) => limiter.consume(key),
      () => true,
    )
    return {
      ...decider,
      async close(keys) {
        // It keeps a timer for each key.
        for (const key of keys) await limiter.delete(key)
      },
    }
  },
  async openThree({ limit: most }) {
    const { RateLimiterMemory, RateLimiterUnion } = await import('rate-limiter-flexible')
    const limiters = threeLimits(most).map(
      ({ limit, windowMs }) =>
        new RateLimiterMemory({
          keyPrefix: `${windowMs}`,
          points: limit,
          duration: windowMs / 1000,
        }),
    )
    const union = new RateLimiterUnion(...limiters)
    return asynchronous(
      (key) => union.consume(key),
      () => true,
    )
  },
}

const fastifyRateLimit: Contender = {
  name: '@fastify/rate-limit',
  async open({ limit, windowMs, keys }) {
    const { default: LocalStore } = await import('@fastify/rate-limit/store/LocalStore.js')
    const store = new LocalStore(false, false, 2 * keys)

    function decide(key: string): boolean {
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
    }

    return synchronous(decide, (allowed) => allowed)
  },
}

const koaRatelimit: Contender = {
  name: 'koa-ratelimit',
  async open({ limit, windowMs }) {
    const { default: Limiter } = await import('koa-ratelimit/limiter/memory.js')
    const db = new Map<string, unknown>()
    // Its middleware makes a limiter for each request as well.
    return asynchronous(
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
    // By default its guard blocks for as long as the window.
    const decider = asynchronous(
      (key) => storage.increment(key, windowMs, limit, windowMs, 'default'),
      ({ isBlocked }) => !isBlocked,
    )
    return { ...decider, close: () => storage.onApplicationShutdown() }
  },
  async openThree({ limit: most }) {
    const { ThrottlerStorageService } = await import('@nestjs/throttler')
    const storage = new ThrottlerStorageService()
    const policies = threeLimits(most)
    // Its guard asks for one policy after the other, each under a key of its own.
    return asynchronous(
      async (key) => {
        for (const { limit, windowMs } of policies) {
          const name = `${windowMs}`
          const own = `${name}:${key}`
          const { isBlocked } = await storage.increment(own, windowMs, limit, windowMs, name)
          if (isBlocked) return false
        }
        return true
      },
      (allowed) => allowed,
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
