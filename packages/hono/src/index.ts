export { rateLimit } from './rate-limit.js'
export type { OnDenied, RateLimitMiddleware, RateLimitOptions } from './rate-limit.js'
export type { AddressSetting, Platform } from '@sluice/fetch/adapter'

// Both modules are explicit lists. Re-exported, so that an application needs one import.
export * from '@sluice/core'
export * from '@sluice/core/http/application'
