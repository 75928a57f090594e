export { createLimiter } from './limiter.js'
export type { ConsumeOptions, Limiter, LimiterOptions, PeekOptions } from './limiter.js'
export type { Keys, Policies } from './entries.js'
export type { Key } from './keys.js'
export type { Decision, Source, Verdict } from './decision.js'
export type { Clock } from './clock.js'
export type { Duration, Policy } from './policy.js'

export { fixedWindow } from './algorithms/fixed-window/index.js'
export type { FixedWindowOptions, FixedWindowPolicy } from './algorithms/fixed-window/index.js'
export { slidingWindow } from './algorithms/sliding-window/index.js'
export type {
  SlidingWindowOptions,
  SlidingWindowPolicy,
} from './algorithms/sliding-window/index.js'
export { gcra, tokenBucket } from './algorithms/gcra/index.js'
export type {
  GcraOptions,
  GcraPolicy,
  TokenBucketOptions,
  TokenBucketPolicy,
} from './algorithms/gcra/index.js'

export { memoryStore } from './stores/memory/index.js'
export type { MemoryStore, MemoryStoreOptions } from './stores/memory/index.js'
export { redisStore } from './stores/redis/index.js'
export type { RedisStoreOptions } from './stores/redis/index.js'
export type { IoredisClient, RedisClient } from './stores/redis/client.js'
export type { AsyncStore, Reply, Store, SyncStore } from './stores/store.js'

export { SluiceError } from './errors.js'
export type { ErrorCode } from './errors.js'
