// Types for the parts of the peers that have none, or whose types refer to an older client. Only the functions used here are declared.

declare module '@fastify/rate-limit/store/LocalStore.js' {
  type Found = (error: Error | null, found: { current: number; ttl: number }) => void
  export default class LocalStore {
    constructor(continueExceeding: boolean, exponentialBackoff: boolean, cache: number)
    incr(key: string, found: Found, timeWindow: number, max: number): void
  }
}

declare module '@fastify/rate-limit/store/RedisStore.js' {
  import type { Redis } from 'ioredis'
  type Found = (error: Error | null, found: { current: number; ttl: number } | null) => void
  export default class RedisStore {
    constructor(continueExceeding: boolean, exponentialBackoff: boolean, redis: Redis)
    incr(key: string, found: Found, timeWindow: number, max: number): void
  }
}

declare module 'koa-ratelimit' {
  import type { Redis } from 'ioredis'
  import type { Middleware } from 'koa'
  export default function ratelimit(
    options: { max: number; duration: number } & (
      | { driver: 'memory'; db: Map<string, unknown> }
      | { driver: 'redis'; db: Redis }
    ),
  ): Middleware
}

declare module 'koa-ratelimit/limiter/memory.js' {
  export default class Limiter {
    constructor(options: { id: string; db: Map<string, unknown>; max: number; duration: number })
    get(): Promise<{ remaining: number }>
  }
}

declare module 'koa-ratelimit/limiter/redis.js' {
  import type { Redis } from 'ioredis'
  export default class Limiter {
    constructor(options: { id: string; db: Redis; max: number; duration: number })
    get(): Promise<{ remaining: number }>
  }
}
