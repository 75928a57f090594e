import { formOf } from '../../algorithms/kind.js'
import type { BoundPolicy } from '../store.js'
import type { BoundedTables } from './bounded-tables.js'
import { newKeyHash } from './key-hash.js'
import type { Table } from './table.js'

/**
 * The rows of one entry: their table, and the bits that are combined with the fingerprint of a key by XOR, so that different entries have different
 * rows for the same key. Policies of the same name and form have the same ones, whatever their numbers.
 */
export interface Partition {
  readonly form: Form
  readonly table: Table
  readonly high: number
  readonly low: number
  /** The bits of the name alone, for the rows that all forms share: blocks and resets. */
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
  // A hash key of its own, because otherwise a limiter key with the text of an entry's identity would have the same hash as that identity.
  readonly #hash = newKeyHash()
  readonly #forms = new Map<string, Form>()

  constructor(tables: BoundedTables) {
    this.#tables = tables
  }

  /** The forms of all policies so far. */
  get forms(): Iterable<Form> {
    return this.#forms.values()
  }

  of(entry: BoundPolicy): Partition {
    const form = this.#formOf(entry)
    this.#hash.hash(JSON.stringify([entry.limiter, entry.name]))
    const { high: nameHigh, low: nameLow } = this.#hash
    const { table, high, low } = form
    return { form, table, high: nameHigh ^ high, low: nameLow ^ low, nameHigh, nameLow }
  }

  #formOf(entry: BoundPolicy): Form {
    const identity = formOf(entry)
    let form = this.#forms.get(identity)
    if (form === undefined) {
      const { steps, params } = entry
      const { moments, counts } = steps.cells(params)
      this.#hash.hash(identity)
      const { high, low } = this.#hash
      form = { table: this.#tables.tableOf(moments + counts, steps.bodied === true), high, low }
      this.#forms.set(identity, form)
    }
    return form
  }
}
