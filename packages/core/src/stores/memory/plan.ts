import type { Clock } from '../../clock.js'
import { changeAll } from '../changes.js'
import { stateOf, type Call, type CompiledPolicies } from '../compiled-policies.js'
import { BOTH, LOOK, SETTLE } from '../cursor.js'
import {
  costAt,
  peekOf,
  type BoundPolicy,
  type Cost,
  type Outcome,
  type StoreRequest,
} from '../store.js'
import { BodyCursor, NothingCursor } from './body-cursor.js'
import { RowCursor } from './row-cursor.js'
import type { StateTable } from './state-table.js'
import type { TableCursor } from './table-cursor.js'

/**
 * A list of policies, compiled for the rows of a store: a cursor for each. It runs every verb, all or nothing: it looks at all policies first, and takes the cost
 * only if all of them allow it. A synchronous store runs one request at a time, so a plan is reused, and a decision makes nothing but rows.
 */
export class MemoryPlan implements CompiledPolicies {
  readonly decided: readonly TableCursor[]
  readonly #rows: StateTable
  readonly #countsNothing: boolean

  constructor(rows: StateTable, policies: readonly BoundPolicy[], wall: Clock | undefined) {
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
  run(request: StoreRequest): Outcome {
    const allowed = this.#run(request)
    for (const cursor of this.decided) cursor.noteSideState()
    return { allowed, states: this.decided.map(stateOf) }
  }

  #run(request: StoreRequest): boolean {
    const { verb, keys } = request
    if (verb === 'consume' || verb === 'peek') return this.decide(request, keys, request.cost)
    // All other verbs begin with the states as a peek reads them.
    this.decide(peekOf(request, 0), keys, 0)
    this.#rows.sweepSome()
    return changeAll(this.decided, request)
  }
}

function cursorOf(rows: StateTable, policy: BoundPolicy, wall: Clock | undefined): TableCursor {
  const { steps } = policy
  if (steps.bodied === true) return new BodyCursor(rows, policy, steps)
  if (steps.countsNothing) return new NothingCursor(rows, policy, steps)
  return new RowCursor(rows, policy, steps, wall)
}
