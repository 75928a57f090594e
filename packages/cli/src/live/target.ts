import type { KeyArgument } from '../reading/key-text.js'

/** The counts of one policy, or of one limit of a rule. */
export interface PolicyState {
  readonly name: string
  /** The reason why a request has this limit, if a rule chooses among several: `plan pro`. */
  readonly variant?: string
  readonly used: number
  /** Null: the policy has no limit. */
  readonly limit: number | null
  readonly remaining: number | null
  readonly resetMs: number
  readonly blockedMs: number
  readonly exemptMs: number
  /** The units that are left of its grant. */
  readonly granted?: number | undefined
  /** Whether `limit` and `remaining` are those of another key: the limit depends on the request, and a dashboard does not know that of this key. */
  readonly isUncertain?: boolean | undefined
}

/** The counts of a key in one limiter. */
export interface KeyState {
  readonly limiter: string
  /** The key as it is counted, or as the page shows it. */
  readonly key: string
  /** Whether a store has seen the key, and its counts have not expired. */
  readonly isCounted: boolean
  readonly policies: readonly PolicyState[]
}

/** The counts of a key after a change. */
export interface ChangedState extends KeyState {
  /** Whether the store had counts of the key before the change. */
  readonly wasCounted: boolean
}

/** A change of the counts of a key. */
export type Act = { readonly reason?: string } & (
  | { readonly act: 'block' | 'exempt'; readonly length: string }
  | { readonly act: 'grant'; readonly units: number; readonly length: string }
  | { readonly act: 'unblock' | 'unexempt' | 'ungrant' }
  | { readonly act: 'penalize'; readonly units: number }
  | { readonly act: 'reset'; readonly unblock: boolean }
)

/** A step of a search for blocked keys. */
export interface SearchStep {
  readonly blocked: readonly KeyState[]
  /** The number of keys of the limiters in this step. */
  readonly keys: number
  /** About how many keys of Redis have been read so far, and how many there are. Undefined if unknown. */
  readonly read?: number
  readonly total?: number
}

/** Reads and changes the counts of keys: in a store, or through a page. */
export interface Target {
  /** The names of the limiters. */
  readonly limiters: readonly string[]
  /** Whether the search returns masked texts in place of keys. */
  readonly isMasked: boolean
  status(limiter: string, key: KeyArgument): Promise<KeyState>
  /** Changes the counts, and returns them as they are afterwards. */
  act(limiter: string, key: KeyArgument, act: Act): Promise<ChangedState>
  /** Finds the blocked keys of limiters, at a pace that does not slow Redis down. */
  search(limiters: readonly string[]): AsyncIterable<SearchStep>
  close(): void
}

export function isBlocked({ policies }: KeyState): boolean {
  return policies.some(({ blockedMs }) => blockedMs > 0)
}

/** The sentence about a key under which no rule counts. */
export function notCounted(limiter: string, key: string): string {
  return `no rule of "${limiter}" counts under the key ${key}. A rule by address has keys such as ip:203.0.113.9, a rule by a value keys such as '["user","42"]'`
}

/** The error of a reset that changes nothing. */
export const stillBlocked =
  'the key is blocked, so nothing was reset. Add --unblock to end the block too'
