export { rateLimit } from './rate-limit.js'
export type { Handler, RateLimit } from './rate-limit.js'
export { decisionOf } from './request-limits.js'
export type * from './application.js'
// Both modules are explicit lists. Re-exported, so that an application needs one import.
export * from '@sluice/core'
export * from '@sluice/core/http/application'
