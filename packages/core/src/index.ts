// For its effect: without a bundler, all algorithms are available. A bundler leaves it out.
// oxlint-disable-next-line import/no-unassigned-import -- this effect is the purpose
import './algorithms/all.js'

export { createLimiter } from './limiter/create-limiter.js'
export type { GrantOptions, Limiter } from './limiter/limiter.js'
export type {
  ConsumeOptions,
  Costs,
  KeyAndCost,
  Keys,
  PeekOptions,
  RefundOptions,
  ResetOptions,
  ChangeOptions,
} from './limiter/arguments.js'
export type { LimiterOptions } from './limiter/limiter-options.js'
export type { Algorithm } from './limiter/limit-options.js'
export { DeniedError, limited, type Limited } from './limited/limited.js'
export type { LimitedCall, LimitedOptions } from './limited/limited-options.js'
export type { AcquireOptions } from './limiter/acquire.js'
export type { Policies, PolicyChoice } from './limiter/limiter-policies.js'
export { countedKey, notLimited } from './keys.js'
export type { CountedKey, Key, KeyPartValue, NotLimited } from './keys.js'
export type {
  Decision,
  DecisionMode,
  HeldLease,
  PolicyStatus,
  Status,
  Verdict,
} from './limiter/decision.js'
export type { Clock } from './clock.js'
export type { Duration } from './options/readers.js'
export type { Block, BlockOptions, Policy } from './policy.js'

export { fixedWindow } from './algorithms/fixed-window/index.js'
export type { FixedWindowOptions, FixedWindowPolicy } from './algorithms/fixed-window/index.js'
export { calendarWindow } from './algorithms/calendar-window/index.js'
export type {
  CalendarWindowOptions,
  CalendarWindowPolicy,
} from './algorithms/calendar-window/index.js'
export { slidingWindow } from './algorithms/sliding-window/index.js'
export type {
  SlidingWindowOptions,
  SlidingWindowPolicy,
} from './algorithms/sliding-window/index.js'
export { slidingLog } from './algorithms/sliding-log/index.js'
export type { SlidingLogOptions, SlidingLogPolicy } from './algorithms/sliding-log/index.js'
export { gcra, leakyBucket, tokenBucket } from './algorithms/gcra/index.js'
export type {
  GcraOptions,
  GcraPolicy,
  LeakyBucketOptions,
  LeakyBucketPolicy,
  TokenBucketOptions,
  TokenBucketPolicy,
} from './algorithms/gcra/index.js'
export { leakyQueue } from './algorithms/leaky-queue/index.js'
export type { LeakyQueueOptions, LeakyQueuePolicy } from './algorithms/leaky-queue/index.js'
export { concurrency } from './algorithms/concurrency/index.js'
export type { ConcurrencyOptions, ConcurrencyPolicy } from './algorithms/concurrency/index.js'
export { staged, type StagedOptions, type StagedPolicy } from './algorithms/staged/index.js'
export { unlimited, type UnlimitedPolicy } from './algorithms/unlimited/index.js'

export { memoryStore, type MemoryStore, type MemoryStoreOptions } from './stores/memory/index.js'
export { spendAhead } from './stores/ahead/spend-ahead.js'
export type { AheadCounts, AheadStore, SpendAheadOptions } from './stores/ahead/spend-ahead.js'
export { redisStore, type RedisStoreOptions } from './stores/redis/index.js'
export { restClient } from './stores/redis/rest-client.js'
export type {
  RestClientOptions,
  RestFetch,
  RestRequest,
  RestResponse,
} from './stores/redis/rest-client.js'
export type {
  BunRedisClient,
  IoredisClient,
  NodeRedisArguments,
  NodeRedisClient,
  RedisClient,
  SupportedClient,
} from './stores/redis/client.js'
export type { OnStoreError } from './limiter/fallback.js'
export type { AdjustmentEvent, DecisionEvent } from './limiter/events.js'
export type {
  BreakerEvent,
  FallbackEvent,
  StoreCallEvent,
  StoreErrorEvent,
} from './stores/events.js'
export type { AsyncStore, Reply, Source, Store, SyncStore } from './stores/store.js'

export { SluiceError, type ErrorCode } from './errors.js'
