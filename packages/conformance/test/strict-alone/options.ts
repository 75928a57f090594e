import { createLimiter, memoryStore, type LimiterOptions, type MemoryStore } from '@sluice/core'
import * as express from '@sluice/express'
import * as fastify from '@sluice/fastify'
import * as fetch from '@sluice/fetch'
import * as hono from '@sluice/hono'
import * as koa from '@sluice/koa'
import * as nest from '@sluice/nestjs'
import type { FastifyInstance } from 'fastify'

// Compiled with `strict` alone, as most applications are. Options in a variable, in a copy, and from a function are options.

const limit = { limit: 5, window: '1m' }

const limiterOptions: LimiterOptions<MemoryStore> = { name: 'api', ...limit, store: memoryStore() }
createLimiter(limiterOptions)
createLimiter({ ...limiterOptions, name: 'other' })

const inExpress: express.RateLimitOptions = limit
express.rateLimit(inExpress)
express.rateLimit({ ...inExpress, name: 'other' })
export const copyInExpress = (options: express.RateLimitOptions): express.RateLimitMiddleware =>
  express.rateLimit({ ...options, dryRun: true })

const inKoa: koa.RateLimitOptions = limit
koa.rateLimit(inKoa)
koa.rateLimit({ ...inKoa, name: 'other' })
export const copyInKoa = (options: koa.RateLimitOptions): koa.RateLimitMiddleware =>
  koa.rateLimit({ ...options, dryRun: true })

const inFetch: fetch.RateLimitOptions = limit
fetch.rateLimit(inFetch)
fetch.rateLimit({ ...inFetch, name: 'other' })

const inHono: hono.RateLimitOptions = limit
hono.rateLimit(inHono)
hono.rateLimit({ ...inHono, name: 'other' })

const inFastify: fastify.RateLimitOptions = limit
export function inAnApplication(app: FastifyInstance, options: fastify.RateLimitOptions): void {
  void app.register(fastify.rateLimit, inFastify)
  app.sluice(inFastify)
  app.sluice({ ...inFastify, dryRun: true })
  app.sluice({ ...options, dryRun: true })
}

const inNest: nest.RateLimitOptions = limit
nest.RateLimitModule.forRoot(inNest)
nest.RateLimit(inNest)
nest.RateLimit({ ...inNest, dryRun: true })
export const copyInNest = (options: nest.RateLimitOptions): MethodDecorator =>
  nest.RateLimit({ ...options, dryRun: true })
