export { rateLimit } from './rate-limit.js'
export { RateLimit, type Handler } from './decorator.js'
export type { OnDenied } from './apply-limit.js'
export type {
  Hook,
  PlacedLimit,
  RateLimitDecorator,
  RateLimitOptions,
  RateLimitPluginOptions,
  RouteRateLimit,
} from './options.js'

// Both modules are explicit lists. Re-exported, so that an application needs one import.
export * from '@sluice/core'
export * from '@sluice/core/http/application'
