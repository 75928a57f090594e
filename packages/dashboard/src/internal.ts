// The names that the other packages of Sluice use, besides the public ones. Not for applications: it changes without notice.
export { HotKeys } from './collect/hot-keys.js'
export type { HotKey } from './collect/hot-keys.js'
export { versionHeader, viewVersion } from './http/respond.js'
export { seenStatus } from './keys/seen.js'
