export { rateLimit } from './rate-limit.js'
export { RateLimit } from './decorator.js'
export type { Handler } from './decorator.js'
export type { OnDenied } from './admit.js'
export type { Hook, RateLimitOptions, RateLimitPluginOptions, RouteRateLimit } from './options.js'

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
  MethodDecorator,
  RequestView,
  ResponseOutcome,
  UserId,
} from '@sluice/core/http'
