// Replays recorded requests in their own time, for `sluice simulate`.
export { createReplay, traitsOf } from './replay.js'
export type { PolicyTraits, Replay, ReplayOptions } from './replay.js'
export { KeyHash, newKeyHash } from '../stores/memory/key-hash.js'
