import type { Row } from '../../algorithms/algorithm.js'
import type { Call, SideState } from '../../stores/compiled-policies.js'
import type { BoundPolicy, Cost, State } from '../../stores/store.js'
import type { LazyReceipt, Receipt } from './receipt.js'

/** The common part of many calls of a plan. */
export interface DecidedCall extends Call {
  readonly entries: readonly BoundPolicy[]
}

/** The state of a policy after a decision. The next decision has a new row. */
interface DecidedState {
  readonly row: Row
  readonly now: number
  readonly sideState: SideState | undefined
}

/** A linked list, which is created faster than an array. */
interface DecidedList extends DecidedState {
  readonly before: DecidedList | undefined
}

/** The states of all policies before the last one. */
export function statesBefore(states: readonly DecidedState[]): DecidedList | undefined {
  let last: DecidedList | undefined
  for (let i = 0; i < states.length - 1; i++) {
    const { row, now, sideState } = states[i]
    last = { row, now, sideState, before: last }
  }
  return last
}

/** The call of a limiter that a plan decided, its result, and the states after it: that of the last policy, and those before. */
export class CallReceipt implements LazyReceipt, DecidedList {
  // Private only in TypeScript: V8 initializes `#` fields by a function of its own, which uses part of the limit of what it inlines into a decision.
  private readonly call: DecidedCall
  private readonly key: string | readonly string[]
  private readonly cost: Cost
  private readonly allowed: boolean
  readonly row: Row
  readonly now: number
  readonly sideState: SideState | undefined
  readonly before: DecidedList | undefined

  constructor(
    call: DecidedCall,
    key: string | readonly string[],
    cost: Cost,
    allowed: boolean,
    { row, now, sideState }: DecidedState,
    before: DecidedList | undefined,
  ) {
    this.call = call
    this.key = key
    this.cost = cost
    this.allowed = allowed
    this.row = row
    this.now = now
    this.sideState = sideState
    this.before = before
  }

  get receipt(): Receipt {
    const { call, key, cost, allowed } = this
    const { verb, entries, lease, now } = call
    const keys = typeof key === 'string' ? entries.map(() => key) : key
    const states = [stateOf(this)]
    for (let decided = this.before; decided !== undefined; decided = decided.before) {
      states.unshift(stateOf(decided))
    }
    return {
      request: { verb, entries, keys, now, lease, cost },
      outcome: { allowed, states },
    }
  }
}

function stateOf({ row, now, sideState }: DecidedState): State {
  if (sideState === undefined) return { row, blockedUntil: 0, now }
  const { blockedUntil, resets } = sideState
  return resets === 0 ? { row, blockedUntil, now } : { row, blockedUntil, now, resets }
}
