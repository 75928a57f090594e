export { RateLimit, RateLimitDecision, SkipRateLimit } from './decorators.js'
export { RateLimitException } from './rate-limit-exception.js'
export { RateLimitGuard } from './rate-limit-guard.js'
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

// Its face is an explicit list already: an application needs one import.
export * from '@sluice/core'
export { accessList, byHeader, byIp, byRoute, byUser } from '@sluice/core/http'
export type {
  AccessList,
  Algorithm,
  Awaitable,
  ByIpOptions,
  DenialBody,
  DenialBodyFunction,
  HeaderStyle,
  KeyFunction,
  KeyOption,
  KeyPart,
  KeySource,
  RequestView,
  ResponseOutcome,
  UserId,
} from '@sluice/core/http'
