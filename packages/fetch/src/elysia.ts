export { rateLimit } from './elysia/plugin.js'
export type { ElysiaApp, ElysiaLimit } from './elysia/plugin.js'
export { decisionOf } from './request-limits.js'
export type * from './application.js'

// Re-exported, so that an application needs one import.
export * from '@sluice/core'
export * from '@sluice/core/http/application'
