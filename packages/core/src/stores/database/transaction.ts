import type { PendingRequest } from '../queue/pending.js'
import type { KnownRow } from './state-bytes.js'

/** The rows by which a transaction is decided. */
export interface Known {
  readonly rows: ReadonlyMap<string, KnownRow | undefined>
  /** The time of the database by which these rows are decided. */
  readonly now: number
  /** Whether the rows are those that this process remembers. */
  readonly isGuess: boolean
}

/** Requests that share rows, directly or through other requests, and are not answered yet. Their rows are saved together. */
export interface Transaction {
  /** Each key once. */
  readonly keys: readonly string[]
  /** In the order in which they were made. */
  requests: readonly PendingRequest[]
  /** Undefined: the rows have to be loaded. */
  known: Known | undefined
  /** Whether the database did not save it. */
  isAgain: boolean
}

/** The transactions of some requests. */
export function transactionsOf(pending: readonly PendingRequest[]): Transaction[] {
  /** For each key, all keys of its transaction. */
  const together = new Map<string, Set<string>>()
  for (const { keys } of pending) {
    const all = together.get(keys[0]) ?? new Set()
    for (const key of keys) {
      for (const other of together.get(key) ?? [key]) {
        all.add(other)
        together.set(other, all)
      }
    }
  }
  const requestsOf = new Map<Set<string>, PendingRequest[]>()
  for (const one of pending) {
    const all = together.get(one.keys[0]) ?? new Set()
    const requests = requestsOf.get(all) ?? []
    requestsOf.set(all, requests)
    requests.push(one)
  }
  return Array.from(requestsOf, ([keys, requests]) => {
    return { keys: [...keys], requests, known: undefined, isAgain: false }
  })
}
