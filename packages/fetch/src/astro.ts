export { rateLimit } from './astro/middleware.js'
export type { AstroContext, AstroLimit } from './astro/middleware.js'
export { decisionOf } from './request-limits.js'
export type * from './application.js'

// Re-exported, so that an application needs one import.
export * from '@sluice/core'
export * from '@sluice/core/http/application'
