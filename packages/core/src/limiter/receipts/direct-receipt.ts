import type { Row } from '../../algorithms/algorithm.js'
import type { BoundPolicy, State } from '../../stores/store.js'
import { noLease } from '../leases/requested-lease.js'
import type { LazyReceipt, Receipt } from './receipt.js'

/** A copy, because the next decision overwrites the state. Its row is a new one for each decision. */
export function takenState({ row, now }: Pick<State, 'row' | 'now'>): State {
  return { row, blockedUntil: 0, now }
}

/** The receipt of a decision for one key. */
export class DirectReceipt implements LazyReceipt {
  // Private only in TypeScript: V8 initializes `#` fields by a function of its own, which uses part of the limit of what it inlines into a decision.
  private readonly entries: readonly BoundPolicy[]
  private readonly key: string
  private readonly cost: number
  private readonly now: number
  private readonly row: Row
  /** The states of the policies after the first one. */
  private readonly others: readonly State[]

  constructor(
    entries: readonly BoundPolicy[],
    key: string,
    cost: number,
    now: number,
    row: Row,
    others: readonly State[],
  ) {
    this.entries = entries
    this.key = key
    this.cost = cost
    this.now = now
    this.row = row
    this.others = others
  }

  receiptOf(allowed: boolean): Receipt {
    const { entries, cost, now, row, others } = this
    const keys = entries.map(() => this.key)
    return {
      request: { verb: 'consume', entries, keys, now: undefined, lease: noLease, cost },
      outcome: { allowed, states: [takenState({ row, now }), ...others] },
    }
  }
}
