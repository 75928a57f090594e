export { rateLimit } from './sveltekit/handle.js'
export type { HandleInput, HandleLimit, SvelteKitEvent } from './sveltekit/handle.js'
export { decisionOf } from './request-limits.js'
export type * from './application.js'

// Re-exported, so that an application needs one import.
export * from '@sluice/core'
export * from '@sluice/core/http/application'
