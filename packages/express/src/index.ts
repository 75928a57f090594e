export { RateLimit, rateLimit } from './rate-limit.js'
export type { Handler, OnDenied, RateLimitMiddleware, RateLimitOptions } from './rate-limit.js'

// Explicit lists both: an application needs one import.
export * from '@sluice/core'
export * from '@sluice/core/http/application'
