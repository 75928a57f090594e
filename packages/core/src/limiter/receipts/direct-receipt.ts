import type { Row } from '../../algorithms/algorithm.js'
import type { BoundPolicy, State } from '../../stores/store.js'
import { noLease } from '../leases/requested-lease.js'
import type { LazyReceipt, Receipt } from './receipt.js'

/** The state of a policy after a decision. The next decision has a new row. */
interface TakenState {
  readonly row: Row
  readonly now: number
}

/** A linked list, which is created faster than an array. */
interface TakenList extends TakenState {
  readonly before: TakenList | undefined
}

/** The states of all policies before the last one. */
export function takenBefore(states: readonly TakenState[]): TakenList | undefined {
  let last: TakenList | undefined
  for (let i = 0; i < states.length - 1; i++) {
    const { row, now } = states[i]
    last = { row, now, before: last }
  }
  return last
}

/** The receipt of a decision for one key: the state of its last policy, and those before. */
export class DirectReceipt implements LazyReceipt, TakenList {
  // Private only in TypeScript: V8 initializes `#` fields by a function of its own, which uses part of the limit of what it inlines into a decision.
  private readonly entries: readonly BoundPolicy[]
  private readonly key: string
  private readonly cost: number
  readonly row: Row
  readonly now: number
  readonly before: TakenList | undefined

  constructor(
    entries: readonly BoundPolicy[],
    key: string,
    cost: number,
    { row, now }: TakenState,
    before: TakenList | undefined,
  ) {
    this.entries = entries
    this.key = key
    this.cost = cost
    this.row = row
    this.now = now
    this.before = before
  }

  receiptOf(allowed: boolean): Receipt {
    const { entries, key, cost } = this
    const keys = entries.map(() => key)
    const states = [stateOf(this)]
    for (let taken = this.before; taken !== undefined; taken = taken.before) {
      states.unshift(stateOf(taken))
    }
    return {
      request: { verb: 'consume', entries, keys, now: undefined, lease: noLease, cost },
      outcome: { allowed, states },
    }
  }
}

function stateOf({ row, now }: TakenState): State {
  return { row, blockedUntil: 0, now }
}
