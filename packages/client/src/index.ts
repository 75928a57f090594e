export { limitedFetch } from './limited-fetch.js'
export type { CallOptions, FetchOptions, FetchResponse } from './limited-fetch.js'

// An explicit list. Re-exported, so that an application needs one import.
export * from '@sluice/core'
