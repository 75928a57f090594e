export { RateLimit, RateLimitDecision, SkipRateLimit } from './decorators.js'
export { byConnection } from './nest-call.js'
export type { NestCall } from './nest-call.js'
export { RateLimitException, RequestException } from './rate-limit-exception.js'
export type { DenialReport } from './rate-limit-exception.js'
export { RateLimitGuard } from './rate-limit-guard.js'
export { RateLimiters } from './rate-limiters.js'
export { RateLimitModule } from './rate-limit-module.js'
export type {
  NestRequest,
  OnDenied,
  RateLimitModuleAsyncOptions,
  RateLimitModuleOptions,
  RateLimitOptions,
  RateLimitOptionsFactory,
  Scope,
} from './options.js'

// Both modules are explicit lists. Re-exported, so that an application needs one import.
export * from '@sluice/core'
export * from '@sluice/core/http/application'
