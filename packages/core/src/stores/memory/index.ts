import { processTime, type Clock, type Time } from '../../clock.js'
import { optional, positiveCount, readOptions } from '../../options/readers.js'
import { runOn } from '../changes.js'
import type { Call, CompiledPolicies } from '../compiled-policies.js'
import { BOTH, LOOK, SETTLE } from '../cursor.js'
import {
  contractVersion,
  costAt,
  isDecision,
  storeContract,
  type BoundPolicy,
  type Cost,
  type StoreResult,
  type StoreContract,
  type StoreRequest,
  type SyncStore,
} from '../store.js'
import type { BoundedTables } from './bounded-tables.js'
import { RowCursor } from './row-cursor.js'
import { MemoryRows } from './memory-rows.js'
import { RecordsCursor, NothingCursor, type TableCursor } from './table-cursor.js'

/** Options of `memoryStore`. */
export interface MemoryStoreOptions {
  /**
   * The largest number of counts, one for each policy of each key. A count takes 50 to 80 bytes, 8 more for each additional bucket of a sliding
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

/** A memory store of this copy of the package, as a limiter uses it. */
export interface CompilingStore extends MemoryStore {
  /** Compiles policies, each list once. `hasClock`: the calls have the time of an injected clock. */
  compile(policies: readonly BoundPolicy[], hasClock: boolean): MemoryPlan
  /** Whether `run` is its own. An application can replace it, and then all requests have to use the replacement. */
  readonly runsItself: boolean
}

export function isCompiling(store: object): store is CompilingStore {
  return store instanceof InMemory
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
export function memoryStoreOf(maxKeys: number, time: Time): CompilingStore {
  return new InMemory(maxKeys, time)
}

type Compile = (policies: readonly BoundPolicy[]) => MemoryPlan

/** A class, because an object literal with getters makes the calls of its other methods slower. */
class InMemory implements CompilingStore {
  readonly async = false
  readonly [storeContract]: StoreContract = { version: contractVersion }
  readonly run: MemoryStore['run']
  readonly #run: MemoryStore['run']
  readonly #maxKeys: number
  readonly #tables: BoundedTables[] = []
  readonly #compile: Compile
  /** For limiters with a clock: separate rows, because a row that has expired by one clock has not expired by another. */
  #compileForClock: Compile | undefined

  constructor(maxKeys: number, { monotonic, wall }: Time) {
    this.#maxKeys = maxKeys
    this.#compile = this.#newRows(monotonic, wall)
    this.#run = (request) => this.compile(request.policies, request.now !== undefined).run(request)
    this.run = this.#run
  }

  #newRows(monotonic: Clock, wall: Clock | undefined): Compile {
    const rows = new MemoryRows(this.#maxKeys, monotonic)
    this.#tables.push(rows.tables)
    const plans = new WeakMap<readonly BoundPolicy[], MemoryPlan>()
    return function compile(policies) {
      let plan = plans.get(policies)
      if (plan === undefined) {
        plan = new MemoryPlan(rows, policies, wall)
        plans.set(policies, plan)
      }
      return plan
    }
  }

  compile(policies: readonly BoundPolicy[], hasClock: boolean): MemoryPlan {
    if (!hasClock) return this.#compile(policies)
    this.#compileForClock ??= this.#newRows(processTime.monotonic, undefined)
    return this.#compileForClock(policies)
  }

  get runsItself(): boolean {
    return this.run === this.#run
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

/**
 * A list of policies, compiled for the rows of a store: a cursor for each. It runs every verb, all or nothing: it looks at all policies first, and takes the cost
 * only if all of them allow it. A synchronous store runs one request at a time, so a plan is reused, and a decision makes nothing but rows.
 */
class MemoryPlan implements CompiledPolicies {
  readonly decided: readonly TableCursor[]
  readonly #rows: MemoryRows
  readonly #countsNothing: boolean

  constructor(rows: MemoryRows, policies: readonly BoundPolicy[], wall: Clock | undefined) {
    this.decided = policies.map((policy) => cursorOf(rows, policy, wall))
    this.#rows = rows
    this.#countsNothing = policies.every(({ steps }) => steps.countsNothing)
  }

  decide(call: Call, key: string | readonly string[], cost: Cost): boolean {
    const { decided: cursors } = this
    const rows = this.#rows
    rows.begin(call.now)
    if (call.verb === 'consume' && !this.#countsNothing) rows.sweepSome()
    if (cursors.length !== 1) return this.#decideSeveral(call, key, cost)
    rows.keyHash.hash(typeof key === 'string' ? key : key[0])
    const cursor = cursors[0]
    const fits = cursor.decide(BOTH, call, typeof cost === 'number' ? cost : cost[0], true)
    if (rows.hasSideRows) cursor.noteSideState()
    return fits
  }

  // In a function of its own, because V8 inlines only small functions into a decision.
  #decideSeveral(call: Call, key: string | readonly string[], cost: Cost): boolean {
    const { decided: cursors } = this
    const rows = this.#rows
    if (typeof key === 'string') rows.keyHash.hash(key)
    let fits = true
    for (let i = 0; i < cursors.length; i++) {
      if (typeof key !== 'string') rows.keyHash.hash(key[i])
      if (!cursors[i].decide(LOOK, call, costAt(cost, i), true)) fits = false
    }
    for (let i = 0; i < cursors.length; i++) cursors[i].decide(SETTLE, call, costAt(cost, i), fits)
    if (rows.hasSideRows) for (let i = 0; i < cursors.length; i++) cursors[i].noteSideState()
    return fits
  }

  /** Runs a request of any verb. */
  run(request: StoreRequest): StoreResult {
    const result = runOn(this.decided, request, (call, cost) => {
      return this.decide(call, request.keys, cost)
    })
    if (!isDecision(request)) this.#rows.sweepSome()
    return result
  }
}

function cursorOf(rows: MemoryRows, policy: BoundPolicy, wall: Clock | undefined): TableCursor {
  const { steps } = policy
  if (steps.hasRecords === true) return new RecordsCursor(rows, policy, steps)
  if (steps.countsNothing) return new NothingCursor(rows, policy, steps)
  return new RowCursor(rows, policy, steps, wall)
}
