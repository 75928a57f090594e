export { RateLimit, rateLimit } from './rate-limit.js'
export type { Handler, OnDenied, RateLimitMiddleware, RateLimitOptions } from './rate-limit.js'

// Both modules are explicit lists. Re-exported, so that an application needs one import.
export * from '@sluice/core'
export * from '@sluice/core/http/application'
