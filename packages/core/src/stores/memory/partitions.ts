import { formOf } from '../../algorithms/kind.js'
import type { BoundPolicy } from '../store.js'
import { newKeyHash } from './key-hash.js'
import { Table } from './table.js'

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

export class Partitions {
  readonly #tables: BoundedTables
  // A hash key of its own, because otherwise a limiter key with the text of a policy's identity would have the same hash as that identity.
  readonly #hash = newKeyHash()
  readonly #forms = new Map<string, Form>()

  constructor(tables: BoundedTables) {
    this.#tables = tables
  }

  /** The forms of all policies so far. */
  get forms(): Iterable<Form> {
    return this.#forms.values()
  }

  of(policy: BoundPolicy): Partition {
    const form = this.#formOf(policy)
    this.#hash.hash(JSON.stringify([policy.limiter, policy.name]))
    const { high: nameHigh, low: nameLow } = this.#hash
    const { table, high, low } = form
    return { form, table, high: nameHigh ^ high, low: nameLow ^ low, nameHigh, nameLow }
  }

  #formOf(policy: BoundPolicy): Form {
    const identity = formOf(policy)
    let form = this.#forms.get(identity)
    if (form === undefined) {
      const { steps, params } = policy
      const { times, counts } = steps.cells(params)
      this.#hash.hash(identity)
      const { high, low } = this.#hash
      form = { table: this.#tables.tableOf(times + counts, steps.hasRecords === true), high, low }
      this.#forms.set(identity, form)
    }
    return form
  }
}

/** Rows are kept this long after they expire, so that they still count if the clock steps back by less. */
const graceMs = 1000

/** If the store is full, each added row sweeps up to this many segments of each table. */
const sweptSegmentsPerRow = 16

/** The tables of one store, one for each shape of row. Together they contain at most `maxKeys` rows. */
export class BoundedTables {
  /** The rows of blocks and exemptions. They have a table of their own, so that no request reads it while it is empty. */
  readonly overrides: Table = new Table(2, false)
  /** The rows of resets. */
  readonly resets: Table = new Table(2, false)
  /** The number of evicted rows whose quota was spent. A flood of other keys can cause such evictions. */
  evicted = 0
  readonly #maxKeys: number
  readonly #tables: Table[] = [this.overrides, this.resets]
  readonly #byShape = new Map<string, Table>()
  #turn = 0

  constructor(maxKeys: number) {
    this.#maxKeys = maxKeys
  }

  get size(): number {
    const tables = this.#tables
    let sum = 0
    for (let i = 0; i < tables.length; i++) sum += tables[i].size
    return sum
  }

  tableOf(width: number, hasRecords: boolean): Table {
    const shape = `${width} ${hasRecords}`
    let table = this.#byShape.get(shape)
    if (table === undefined) {
      table = new Table(width, hasRecords)
      this.#byShape.set(shape, table)
      this.#tables.push(table)
    }
    return table
  }

  /** Removes the expired rows of one segment, in each call of another one. */
  sweepSome(now: number): void {
    this.#tables[this.#turn++ % this.#tables.length].sweepNext(now - graceMs)
  }

  /** Called before a row with this fingerprint is added to `table`. Evicts one row if the tables are full. */
  evictIfFull(table: Table, high: number, now: number): void {
    if (this.size < this.#maxKeys || this.#sweep(now) || table.evictUnspent(high)) return
    if (!this.#tables.some((other) => other.evictUnspent(high))) this.#evictSoonestToExpire(high)
  }

  #sweep(now: number): boolean {
    for (let i = 0; i < sweptSegmentsPerRow; i++) {
      for (const table of this.#tables) if (table.sweepNext(now) > 0) return true
    }
    return false
  }

  /** Chooses among the rows of one segment of each table. A search of all rows for each new key would let a client block the process. */
  #evictSoonestToExpire(high: number): void {
    const filled = this.#tables.filter((table) => table.size > 0)
    const [first, ...others] = filled.map((table) => ({ table, found: table.soonestToEnd(high) }))
    const { table, found } = others.reduce((a, b) => (b.found.ends < a.found.ends ? b : a), first)
    table.remove(found.segment, found.place)
    this.evicted++
  }
}
