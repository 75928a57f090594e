import type { Row } from '../../algorithms/algorithm.js'
import { formOf } from '../../algorithms/kind.js'
import type { Clock } from '../../clock.js'
import type { BoundPolicy } from '../store.js'
import { BoundedTables } from './bounded-tables.js'
import { newKeyHash, type KeyHash } from './key-hash.js'
import type { Table } from './table.js'

/**
 * The rows of one policy: their table, and the bits that are combined with the fingerprint of a key by XOR, so that different policies have different
 * rows for the same key. Policies of the same name and form have the same ones, whatever their numbers.
 */
export interface Partition {
  readonly form: Form
  readonly table: Table
  readonly high: number
  readonly low: number
  /** The bits of the name alone, for the rows that all forms share: overrides and resets. */
  readonly nameHigh: number
  readonly nameLow: number
}

/** A form of state: an algorithm and the number of its cells. Each form of a policy name has a row of its own. */
export interface Form {
  readonly table: Table
  readonly high: number
  readonly low: number
}

/** A row, and the data that a table keeps with it. */
interface KeptRow {
  readonly row: Row
  readonly ends: number
  /** Whether nothing remains of the quota. */
  readonly isSpent: boolean
  readonly records?: unknown
}

/** One request in this many sweeps a segment, which adds a few nanoseconds to the average request. */
const requestsPerSweep = 64

/** The rows of all policies of a store, for one request after another. */
export class MemoryRows {
  readonly tables: BoundedTables
  /** The hash of the current key. */
  readonly keyHash: KeyHash = newKeyHash()
  /** The time of the current request. Initialized with a fraction, so that V8 stores it as a double. */
  moment = 0.5
  /** Whether there was ever a block, an exemption or a reset, so that a key can have one in addition to its row. */
  hasSideRows = false
  /** The time of the latest reset. */
  lastReset = -1
  // A hash key of its own, because otherwise a limiter key with the text of a policy's identity would have the same hash as that identity.
  readonly #policyHash = newKeyHash()
  readonly #forms = new Map<string, Form>()
  readonly #monotonic: Clock
  #requests = 0

  constructor(maxKeys: number, monotonic: Clock) {
    this.tables = new BoundedTables(maxKeys)
    this.#monotonic = monotonic
  }

  /**
   * Begins a request at `moment`. The ends of all rows are times of one clock: the remaining lifetime of a row that follows the wall clock is added to
   * this time, so that no sweep compares the times of two clocks.
   */
  begin(injected: number | undefined): void {
    // Not returned, because V8 allocates memory for a time that a function returns.
    this.moment = injected ?? this.#monotonic()
  }

  /** Removes the expired rows of one segment, in one of many calls. */
  sweepSome(): void {
    if (this.#requests++ % requestsPerSweep === 0) this.tables.sweepSome(this.moment)
  }

  /** The partition of a policy that has no rows. */
  get noPartition(): Partition {
    const { overrides: table } = this.tables
    const form = { table, high: 0, low: 0 }
    return { ...form, form, nameHigh: 0, nameLow: 0 }
  }

  partitionOf(policy: BoundPolicy): Partition {
    const form = this.#formOf(policy)
    this.#policyHash.hash(JSON.stringify([policy.limiter, policy.name]))
    const { high: nameHigh, low: nameLow } = this.#policyHash
    const { table, high, low } = form
    return { form, table, high: nameHigh ^ high, low: nameLow ^ low, nameHigh, nameLow }
  }

  #formOf(policy: BoundPolicy): Form {
    const identity = formOf(policy)
    let form = this.#forms.get(identity)
    if (form === undefined) {
      const { steps, params } = policy
      const { times, counts } = steps.cells(params)
      this.#policyHash.hash(identity)
      const { high, low } = this.#policyHash
      form = { table: this.tables.tableOf(times + counts, steps.hasRecords === true), high, low }
      this.#forms.set(identity, form)
    }
    return form
  }

  /** The forms of all policies so far. */
  get forms(): Iterable<Form> {
    return this.#forms.values()
  }

  /** Keeps a row that can be new or expired. */
  put(table: Table, high: number, low: number, { row, ends, isSpent, records }: KeptRow): void {
    const segment = table.segmentOf(high)
    const place = segment.find(high, low)
    if (ends <= this.moment) {
      if (place !== -1) table.remove(segment, place)
    } else if (place !== -1) {
      table.write(segment, place, row, ends, isSpent, records)
    } else {
      this.tables.evictIfFull(table, high, this.moment)
      table.add(high, low, row, ends, isSpent, records)
    }
  }
}
