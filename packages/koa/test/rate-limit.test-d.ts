// Checked by the compiler alone: npm run check:types.
import type { Middleware } from 'koa'
import { expectTypeOf } from 'vitest'
import { rateLimit, type Limiter, type RateLimitMiddleware } from '../src/index.js'

const limit = rateLimit({ limit: 5, window: '1m' })
expectTypeOf(limit).toEqualTypeOf<RateLimitMiddleware>()
expectTypeOf(limit).toExtend<Middleware>()
expectTypeOf(limit.limiter).toEqualTypeOf<Limiter>()
