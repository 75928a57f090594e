import type { Clock } from '../../clock.js'
import type { BoundPolicy, DirectConsume } from '../store.js'
import { RowState } from './row-state.js'
import type { StateTable } from './state-table.js'

/** The direct way for these entries. Undefined if a decision can write anything but the row of an entry, or can write when it denies. */
export function directWay(
  rows: StateTable,
  wall: Clock,
  entries: readonly BoundPolicy[],
): DirectConsume | undefined {
  const states: RowState[] = []
  for (const entry of entries) {
    const { steps, params, block } = entry
    if (steps.bodied === true || steps.countsNothing || block !== undefined) return undefined
    if (steps.persistsOnDenial(params)) return undefined
    states.push(new RowState(rows, { steps, params }, rows.partitionOf(entry), wall))
  }
  return states.length === 0 ? undefined : new DirectWay(rows, states)
}

/**
 * The direct way of the memory store. It runs the same steps on the same rows as the executor, without the parts that only other requests need. The
 * executor decides for a key that is blocked or was just reset.
 */
class DirectWay implements DirectConsume {
  readonly states: readonly RowState[]
  readonly #rows: StateTable

  constructor(rows: StateTable, states: readonly RowState[]) {
    this.states = states
    this.#rows = rows
  }

  decide(key: string, cost: number): boolean | undefined {
    const { states } = this
    const rows = this.#rows
    const { keyHash } = rows
    rows.begin()
    keyHash.hash(key)
    const { high, low } = keyHash
    for (let i = 0; i < states.length; i++) states[i].begin()
    if (rows.hasMarks() && this.#isMarked(high, low)) return undefined
    rows.sweepSome()
    return states.length === 1
      ? states[0].decide(high, low, cost)
      : this.#decideBySeveral(high, low, cost)
  }

  #decideBySeveral(high: number, low: number, cost: number): boolean {
    const { states } = this
    let fits = true
    for (let i = 0; i < states.length; i++) {
      if (!states[i].look(high, low, cost)) fits = false
    }
    for (let i = 0; i < states.length; i++) states[i].settle(high, low, fits ? cost : 0)
    return fits
  }

  #isMarked(high: number, low: number): boolean {
    for (const { partition, now } of this.states) {
      if (this.#rows.isMarked(partition, high, low, now)) return true
    }
    return false
  }
}
