import { processTime } from '../../clock.js'
import { optional, positiveCount, readOptions } from '../../options/readers.js'
import { run } from '../run.js'
import {
  contractVersion,
  storeContract,
  type StoreContract,
  type StoreRequest,
  type StoreResult,
  type SyncStore,
} from '../store.js'
import { MemoryRows } from './rows.js'

/** Options of `memoryStore`. */
export interface MemoryStoreOptions {
  /**
   * The largest number of counts, one for each policy of each key. A count takes 50 to 80 bytes, 8 more for each additional bucket of a sliding
   * window, and 10 more for each allowed request in a log. A full store evicts expired counts first, then counts whose quota is not spent. It evicts
   * a spent count only if all are spent: one that expires soon. Limiters with a `clock` share a separate set of as many counts.
   *
   * @default 100_000
   */
  readonly maxKeys?: number | undefined
}

/** A store in the memory of this process. */
export interface MemoryStore extends SyncStore {
  /** The number of counts, including expired ones that have not been swept yet. */
  readonly size: number
  /** The number of evicted counts whose quota was spent. If it is more than 0, `maxKeys` is too small. */
  readonly evicted: number
}

/**
 * Keeps the counts in the memory of this process. It is the default store. It returns results at once, without a promise, and uses no timer. It uses a
 * monotonic clock, and the wall clock only for windows that begin at a time of day.
 *
 * @example
 * const store = memoryStore({ maxKeys: 1_000_000 })
 * @throws SluiceError if an option is unknown or out of range
 */
export function memoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  const { maxKeys } = readOptions('memoryStore', options, {
    maxKeys: optional(positiveCount, 100_000),
  })
  return new InMemory(maxKeys)
}

class InMemory implements MemoryStore {
  readonly async = false
  readonly [storeContract]: StoreContract = { version: contractVersion }
  readonly #rows: MemoryRows
  /** For limiters with a clock: separate rows, because a row that has ended by one clock has not ended by another. */
  readonly #rowsByClock: MemoryRows

  constructor(maxKeys: number) {
    const { monotonic, wall } = processTime
    this.#rows = new MemoryRows(maxKeys, monotonic, wall)
    this.#rowsByClock = new MemoryRows(maxKeys, monotonic)
  }

  readonly run = (request: StoreRequest): StoreResult => {
    const rows = request.now === undefined ? this.#rows : this.#rowsByClock
    rows.begin(request)
    return run(rows, request)
  }

  readonly ping = (): boolean => true
  readonly close = (): void => {}

  get size(): number {
    return this.#rows.tables.size + this.#rowsByClock.tables.size
  }

  get evicted(): number {
    return this.#rows.tables.evicted + this.#rowsByClock.tables.evicted
  }
}
