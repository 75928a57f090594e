import { processTime, type Time } from '../../clock.js'
import { optional, positiveCount, readOptions } from '../../options/readers.js'
import {
  contractVersion,
  storeContract,
  type BoundPolicy,
  type DirectConsume,
  type StoreContract,
  type SyncStore,
} from '../store.js'
import { directWay } from './direct.js'
import { Executor } from './executor.js'
import type { BoundedTables } from './bounded-tables.js'
import { StateTable } from './state-table.js'

/** Options of `memoryStore`. */
export interface MemoryStoreOptions {
  /**
   * The largest number of counts, one for each policy of each key. A count takes about 50 bytes, 8 more for each additional bucket of a sliding
   * window, and 10 more for each allowed request in a log. A full store evicts expired counts first, then counts whose quota is not spent. It evicts
   * a spent count only if all are spent: one that expires soon. Limiters with a `clock` share a separate set of as many counts.
   *
   * @default 100_000
   */
  readonly maxKeys?: number
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
  return new InMemory(maxKeys, processTime)
}

/** A memory store whose time is not that of this process. */
export function memoryStoreOf(maxKeys: number, time: Time): MemoryStore {
  return new InMemory(maxKeys, time)
}

/** A class, because an object literal with getters makes the calls of its other methods slower. */
class InMemory implements MemoryStore {
  readonly async = false
  readonly [storeContract]: StoreContract = { version: contractVersion }
  readonly run: MemoryStore['run']
  readonly #run: MemoryStore['run']
  readonly #rows: StateTable
  readonly #time: Time
  readonly #tables: BoundedTables[] = []

  constructor(maxKeys: number, time: Time) {
    const newTable = (): StateTable => {
      const rows = new StateTable(maxKeys, time)
      this.#tables.push(rows.tables)
      return rows
    }
    this.#time = time
    this.#rows = newTable()
    const own = new Executor(this.#rows)
    // Separate tables, because a row that has expired by one clock has not expired by another.
    let injected: Executor | undefined
    const ofInjectedClock = (): Executor => (injected ??= new Executor(newTable()))
    this.#run = (request) => (request.now === undefined ? own : ofInjectedClock()).run(request)
    this.run = this.#run
  }

  compile(entries: readonly BoundPolicy[]): DirectConsume | undefined {
    // An application can replace `run`, and then all requests have to use the replacement.
    const isOwn = #run in this && this.run === this.#run
    return isOwn ? directWay(this.#rows, this.#time.wall, entries) : undefined
  }

  readonly ping = (): boolean => true
  readonly close = (): void => {}

  get size(): number {
    return this.#tables.reduce((sum, tables) => sum + tables.size, 0)
  }

  get evicted(): number {
    return this.#tables.reduce((sum, tables) => sum + tables.evicted, 0)
  }
}
