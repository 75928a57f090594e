export { rateLimit } from './rate-limit.js'
export { RateLimit } from './decorator.js'
export type { Handler } from './decorator.js'
export type { OnDenied } from './admit.js'
export type {
  Hook,
  PlacedLimit,
  RateLimitDecorator,
  RateLimitOptions,
  RateLimitPluginOptions,
  RouteRateLimit,
} from './options.js'

// Explicit lists both: an application needs one import.
export * from '@sluice/core'
export * from '@sluice/core/http/application'
