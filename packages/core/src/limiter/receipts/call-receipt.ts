import type { Row } from '../../algorithms/algorithm.js'
import { stateOf, type Call, type SideState } from '../../stores/compiled-policies.js'
import type { BoundPolicy, Cost, Source, State } from '../../stores/store.js'

/** The common part of many calls of a plan. */
export interface DecidedCall extends Call {
  readonly policies: readonly BoundPolicy[]
  readonly source: Source
}

/** One key for all policies, or one for each, in the form in which the store counts them. */
export type JoinedKeys = string | readonly string[]

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

/** The receipts of a decision: one for each call of a limiter that it combines. */
export interface Receipts {
  readonly receipts: readonly Receipt[]
}

/** A call that was decided, its result, and the states after it: that of the last policy, and those before. A refund needs all of it. */
// Its fields are declared only, because V8 runs their definitions as a function of their own.
export class Receipt implements Receipts, DecidedList {
  declare readonly call: DecidedCall
  declare readonly key: JoinedKeys
  declare readonly cost: Cost
  declare readonly allowed: boolean
  declare readonly row: Row
  declare readonly now: number
  declare readonly sideState: SideState | undefined
  declare readonly before: DecidedList | undefined

  constructor(
    call: DecidedCall,
    key: JoinedKeys,
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

  get receipts(): readonly Receipt[] {
    return [this]
  }

  /** The key of each policy. */
  get keys(): readonly string[] {
    const { key, call } = this
    return typeof key === 'string' ? call.policies.map(() => key) : key
  }

  /** The state of each policy. */
  get states(): readonly State[] {
    if (this.call.policies.length === 0) return []
    const states = [stateOf(this)]
    for (let decided = this.before; decided !== undefined; decided = decided.before) {
      states.unshift(stateOf(decided))
    }
    return states
  }

  /** The receipt of the same call if it was denied instead: a refund of it refunds nothing. */
  get denied(): Receipt {
    const { call, key, cost, before } = this
    return new Receipt(call, key, cost, false, this, before)
  }
}
