// What the other packages of Sluice use of this one, besides its public face. Not for applications: it changes without notice.
export { HotKeys } from './collect/hot-keys.js'
export type { HotKey } from './collect/hot-keys.js'
