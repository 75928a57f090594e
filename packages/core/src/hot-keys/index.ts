export { HotKeys, mergedKeys } from './hot-keys.js'
export type { HotKey, KeyCounts } from './hot-keys.js'
