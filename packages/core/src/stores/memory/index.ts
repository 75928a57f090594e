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

export interface MemoryStoreOptions {
  /**
   * How many counts are kept at most, one for each policy of each key. It bounds their number and not their bytes: a count takes about 50 bytes, 8
   * more for each further bucket of a sliding window, and 10 more for each admission in a log. When all places are taken, counts that have ended go
   * first, then counts of keys that still have quota to spend. A key that has spent its quota goes only where every key has; then
   * it is one that ends soon. As many again are kept for limiters that were given a `clock`.
   *
   * @default 100_000
   */
  readonly maxKeys?: number
}

export interface MemoryStore extends SyncStore {
  /** How many counts are kept now, ended ones that nothing has swept yet included. */
  readonly size: number
  /** How many counts were let go although their quota was spent. More than 0 says that `maxKeys` is too small. */
  readonly evicted: number
}

/**
 * Keeps the counts in this process: the default. It answers at once, without a promise, and holds no timer. Time is the process's
 * own and never steps, except for windows that begin at a time of day, which follow the wall clock.
 *
 * @example
 * const store = memoryStore({ maxKeys: 1_000_000 })
 * @throws SluiceError where an option is unknown or out of range
 */
export function memoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  const { maxKeys } = readOptions('memoryStore', options, {
    maxKeys: optional(positiveCount, 100_000),
  })
  return new InMemory(maxKeys, processTime)
}

/** A class for its getters: an object that has some of its own is slower to call for everything else. */
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
    // Apart from all others, because what has expired by one clock has not expired by another.
    let injected: Executor | undefined
    const ofInjectedClock = (): Executor => (injected ??= new Executor(newTable()))
    this.#run = (request) => (request.now === undefined ? own : ofInjectedClock()).run(request)
    this.run = this.#run
  }

  compile(entries: readonly BoundPolicy[]): DirectConsume | undefined {
    // An application may have put a `run` of its own in front of this one.
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
