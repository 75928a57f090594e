import type { AsyncStore } from '@sluice/core'

/** A client with the functions that only its owner calls. */
export interface OwnedClient {
  store(timeoutMs: number): AsyncStore
  /** Resolves when the client is connected. It retries without a limit. */
  connect(): Promise<unknown>
  close(): Promise<unknown>
  /** Takes all connections of a pool, and returns the function that releases them. */
  takeAll?(): Promise<() => void>
}
