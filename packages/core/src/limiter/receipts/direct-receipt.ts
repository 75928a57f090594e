import type { Row } from '../../algorithms/algorithm.js'
import type { BoundPolicy, State } from '../../stores/store.js'
import { noLease } from '../leases/requested-lease.js'
import type { LazyReceipt, Receipt } from './receipt.js'

/** The state of a policy after a decision. The next decision has a new row. */
interface TakenState {
  readonly row: Row
  readonly now: number
}

interface TakenList extends TakenState {
  readonly before: TakenList | undefined
}

/** The receipt of a decision by one policy. */
export class DirectReceipt implements LazyReceipt {
  // Private only in TypeScript: V8 initializes `#` fields by a function of its own, which uses part of the limit of what it inlines into a decision.
  private readonly entries: readonly BoundPolicy[]
  private readonly key: string
  private readonly cost: number
  private readonly now: number
  private readonly row: Row

  constructor(entries: readonly BoundPolicy[], key: string, cost: number, now: number, row: Row) {
    this.entries = entries
    this.key = key
    this.cost = cost
    this.now = now
    this.row = row
  }

  receiptOf(allowed: boolean): Receipt {
    const { entries, key, cost, row, now } = this
    return receiptFrom(entries, key, cost, allowed, [stateOf({ row, now })])
  }
}

/** The receipt of a decision by several policies for one key. */
export class SeveralReceipt implements LazyReceipt {
  private readonly entries: readonly BoundPolicy[]
  private readonly key: string
  private readonly cost: number
  /** The states as a linked list, which is created faster than an array. */
  private readonly last: TakenList | undefined

  constructor(
    entries: readonly BoundPolicy[],
    key: string,
    cost: number,
    states: readonly TakenState[],
  ) {
    this.entries = entries
    this.key = key
    this.cost = cost
    let last: TakenList | undefined
    for (const { row, now } of states) last = { row, now, before: last }
    this.last = last
  }

  receiptOf(allowed: boolean): Receipt {
    const { entries, key, cost } = this
    const states: State[] = []
    for (let taken = this.last; taken !== undefined; taken = taken.before) {
      states.unshift(stateOf(taken))
    }
    return receiptFrom(entries, key, cost, allowed, states)
  }
}

function receiptFrom(
  entries: readonly BoundPolicy[],
  key: string,
  cost: number,
  allowed: boolean,
  states: readonly State[],
): Receipt {
  const keys = entries.map(() => key)
  return {
    request: { verb: 'consume', entries, keys, now: undefined, lease: noLease, cost },
    outcome: { allowed, states },
  }
}

function stateOf({ row, now }: TakenState): State {
  return { row, blockedUntil: 0, now }
}
