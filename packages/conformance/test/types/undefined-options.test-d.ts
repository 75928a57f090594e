// Checked by the compiler alone, with `exactOptionalPropertyTypes`: npm run check:types.
import type { CallOptions, FetchOptions } from '@sluice/client'
import { limitedFetch } from '@sluice/client'
import * as core from '@sluice/core'
import { databaseStore, type Database, type DatabaseStoreOptions } from '@sluice/core/database'
import type { DashboardOptions, RedisViewOptions } from '@sluice/dashboard'
import * as express from '@sluice/express'
import * as fastify from '@sluice/fastify'
import * as fetch from '@sluice/fetch'
import * as hono from '@sluice/hono'
import * as koa from '@sluice/koa'
import * as nestjs from '@sluice/nestjs'
import type { PostgresSchemaOptions, PostgresStoreOptions } from '@sluice/postgres'
import type {
  CompileOptions,
  ExplainOptions,
  FileSourceOptions,
  LoadRulesOptions,
  PollSourceOptions,
  RuleLimiterOptions,
} from '@sluice/rules'
import type * as sockets from '@sluice/sockets'
import type { SqliteStoreOptions } from '@sluice/sqlite'
import type { FastifyInstance } from 'fastify'
import { expectTypeOf } from 'vitest'

/** The names of the options that may be absent, but not undefined. */
type Refused<T> = T extends unknown
  ? { [N in keyof T]-?: Partial<Pick<T, N>> extends Pick<T, N> ? RefusedBy<T, N> : never }[keyof T]
  : never
type RefusedBy<T, N extends keyof T> = Readonly<Record<N, undefined>> extends Pick<T, N> ? never : N

// Every option of every public function, as far as it is a type.

expectTypeOf<Refused<{ a: 1; b?: 2 | undefined; c?: 3 }>>().toEqualTypeOf<'c'>()

expectTypeOf<Refused<core.ConsumeOptions>>().toBeNever()
expectTypeOf<Refused<core.PeekOptions>>().toBeNever()
expectTypeOf<Refused<core.KeyAndCost>>().toBeNever()
expectTypeOf<Refused<core.AcquireOptions>>().toBeNever()
expectTypeOf<Refused<core.ResetOptions>>().toBeNever()
expectTypeOf<Refused<core.RefundOptions>>().toBeNever()
expectTypeOf<Refused<core.GrantOptions>>().toBeNever()
expectTypeOf<Refused<core.ChangeOptions>>().toBeNever()
expectTypeOf<Refused<core.SpendAheadOptions>>().toBeNever()
expectTypeOf<Refused<core.LimitedOptions>>().toBeNever()
// A function of the application returns it, and its undefined is a mistake.
expectTypeOf<Refused<core.LimitedCall>>().toEqualTypeOf<'cost' | 'policies'>()
expectTypeOf<Refused<core.BlockOptions>>().toBeNever()
expectTypeOf<Refused<core.MemoryStoreOptions>>().toBeNever()
expectTypeOf<Refused<core.RedisStoreOptions>>().toBeNever()
expectTypeOf<Refused<core.RestClientOptions>>().toBeNever()
expectTypeOf<Refused<DatabaseStoreOptions>>().toBeNever()
expectTypeOf<Refused<PostgresStoreOptions>>().toBeNever()
expectTypeOf<Refused<PostgresSchemaOptions>>().toBeNever()
expectTypeOf<Refused<SqliteStoreOptions>>().toBeNever()
expectTypeOf<Refused<core.FixedWindowOptions>>().toBeNever()
expectTypeOf<Refused<core.CalendarWindowOptions>>().toBeNever()
expectTypeOf<Refused<core.SlidingWindowOptions>>().toBeNever()
expectTypeOf<Refused<core.SlidingLogOptions>>().toBeNever()
expectTypeOf<Refused<core.GcraOptions>>().toBeNever()
expectTypeOf<Refused<core.TokenBucketOptions>>().toBeNever()
expectTypeOf<Refused<core.LeakyBucketOptions>>().toBeNever()
expectTypeOf<Refused<core.LeakyQueueOptions>>().toBeNever()
expectTypeOf<Refused<core.ConcurrencyOptions>>().toBeNever()
expectTypeOf<Refused<core.StagedOptions>>().toBeNever()
expectTypeOf<Refused<express.ByIpOptions>>().toBeNever()
expectTypeOf<Refused<CallOptions & FetchOptions>>().toBeNever()
expectTypeOf<Refused<DashboardOptions>>().toBeNever()
expectTypeOf<Refused<RedisViewOptions>>().toBeNever()
expectTypeOf<Refused<LoadRulesOptions<object>>>().toBeNever()
expectTypeOf<Refused<RuleLimiterOptions>>().toBeNever()
expectTypeOf<Refused<FileSourceOptions>>().toBeNever()
expectTypeOf<Refused<PollSourceOptions>>().toBeNever()
expectTypeOf<Refused<CompileOptions>>().toBeNever()
expectTypeOf<Refused<ExplainOptions>>().toBeNever()
expectTypeOf<Refused<sockets.ConnectionOptions<sockets.IoSocket>>>().toBeNever()
expectTypeOf<Refused<sockets.EventOptions<sockets.IoSocket>>>().toBeNever()
expectTypeOf<Refused<sockets.MessageOptions<sockets.WebSocketLike>>>().toBeNever()
expectTypeOf<Refused<sockets.UpgradeOptions>>().toBeNever()

// Types that depend on their own values: each call passes every option.

const whole = { limit: 5, window: '1m' } as const
const policy = core.slidingWindow({
  ...whole,
  buckets: undefined,
  tail: undefined,
  block: undefined,
})

const others = {
  name: undefined,
  store: undefined,
  clock: undefined,
  onStoreError: undefined,
  localShare: undefined,
  key: undefined,
  cost: undefined,
  skip: undefined,
  allow: undefined,
  deny: undefined,
  count: undefined,
  resetOn: undefined,
  releaseOn: undefined,
  wait: undefined,
  dryRun: undefined,
  headers: undefined,
  partitionKey: undefined,
  onDenied: undefined,
  onDecision: undefined,
  statusCode: undefined,
  body: undefined,
} as const
const short = { ...whole, algorithm: undefined, policies: undefined, rules: undefined, ...others }
const long = {
  limit: undefined,
  window: undefined,
  algorithm: undefined,
  policies: policy,
  rules: undefined,
  ...others,
} as const

/** The options that `others` leaves out, so that a new one is added to it. */
type Rest = 'limit' | 'window' | 'algorithm' | 'policies' | 'rules'
expectTypeOf<keyof typeof others | Rest>().toEqualTypeOf<keyof express.RateLimitOptions>()

express.rateLimit(short)
express.rateLimit(long)
koa.rateLimit(short)
koa.rateLimit(long)
fetch.rateLimit({ ...short, address: undefined })
fetch.rateLimit({ ...long, address: undefined })
hono.rateLimit({ ...short, address: undefined })
hono.rateLimit({ ...long, address: undefined })
nestjs.RateLimit(short)
nestjs.RateLimit(long)
nestjs.RateLimitModule.forRoot({ ...short, global: undefined, scope: undefined })
nestjs.RateLimitModule.forRoot({ ...long, global: undefined, scope: undefined })
express.byIp({ ipv6: undefined })
express.rateLimit({ policies: policy, count: { when: 'failures', reserve: undefined } })

export function inFastify(app: FastifyInstance): void {
  void app.register(fastify.rateLimit, { ...short, global: undefined, hook: undefined })
  void app.register(fastify.rateLimit, { ...long, global: undefined, hook: undefined })
  app.sluice(short)
  app.sluice(long)
  app.get('/', { config: { sluice: undefined } }, () => 'hello')
  app.get('/short', { config: { sluice: short } }, () => 'hello')
}

const own = {
  store: undefined,
  clock: undefined,
  onStoreError: undefined,
  localShare: undefined,
  denyCache: undefined,
}
const limiter = core.createLimiter({
  name: 'a',
  ...whole,
  algorithm: undefined,
  policies: undefined,
  ...own,
  store: core.memoryStore({ maxKeys: undefined }),
})
core.createLimiter({
  name: 'a',
  limit: undefined,
  window: undefined,
  algorithm: undefined,
  policies: policy,
  ...own,
})
limiter.consume('key', {
  cost: undefined,
  owner: undefined,
  mode: undefined,
  request: undefined,
  policies: undefined,
})
limitedFetch(limiter, { fetch: undefined, key: undefined, maxWait: undefined })

export function stores(client: core.SupportedClient, database: Database): core.Store[] {
  return [
    core.redisStore(client, { prefix: undefined, timeout: undefined }),
    databaseStore(database, { prefix: undefined, timeout: undefined, rememberedRows: undefined }),
  ]
}
