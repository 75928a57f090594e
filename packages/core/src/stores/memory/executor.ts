import type { Row } from '../../algorithms/algorithm.js'
import { LENGTH, startedBlock, UNTIL } from '../block.js'
import type { Block } from '../../policy.js'
import type { DecisionRequest, Outcome, ResetRequest, State, StoreRequest } from '../store.js'
import { isForgotten } from './reset.js'
import type { Cursor } from './cursor.js'
import type { LoadedState, StateTable } from './state-table.js'

/** Runs one request, all or nothing. The `decide` of the Redis script has the same verbs in the same order. */
export class Executor {
  readonly #rows: StateTable

  constructor(rows: StateTable) {
    this.#rows = rows
  }

  run(request: StoreRequest): Outcome {
    const { cursors, states } = this.#rows.open(request)
    return { allowed: this.#decide(request, cursors, states), states }
  }

  #decide(
    request: StoreRequest,
    cursors: readonly Cursor[],
    states: readonly LoadedState[],
  ): boolean {
    switch (request.verb) {
      case 'peek':
        return look(cursors, states, request.cost)
      case 'consume':
        return this.#consume(cursors, states, request.cost)
      case 'reset':
        return this.#reset(cursors, states, request.unblock)
      default: {
        look(cursors, states, 0)
        const changed = cursors.map((cursor, i) => this.#change(cursor, states[i], request, i))
        return changed.includes(true)
      }
    }
  }

  #consume(cursors: readonly Cursor[], states: readonly LoadedState[], cost: number): boolean {
    const fits = look(cursors, states, cost)
    for (let i = 0; i < cursors.length; i++) {
      if (fits) this.#take(cursors[i], states[i], cost)
      else this.#deny(cursors[i], states[i], cost)
    }
    return fits
  }

  /** Keeps the initial state of a bucket at its first request, even if that request takes nothing. */
  #saveInitial(cursor: Cursor, state: LoadedState): void {
    const { steps, params } = cursor.entry
    if (steps.persistsOnDenial(params) && !this.#rows.isKept(cursor)) {
      this.#rows.save(cursor, state)
    }
  }

  #take(cursor: Cursor, state: LoadedState, cost: number): void {
    const { steps, entry } = cursor
    if (cost === 0) {
      this.#saveInitial(cursor, state)
      return
    }
    steps.take(state.row, entry.params, state.now, cost)
    this.#rows.save(cursor, state)
    if (entry.block?.on === 'reached' && !steps.look(state.row, entry.params, state.now, 1)) {
      this.#startBlock(cursor, state, entry.block)
    }
  }

  #deny(cursor: Cursor, state: LoadedState, cost: number): void {
    const { steps, params, block } = cursor.entry
    const { row, blockedUntil, now } = state
    const fits = steps.wait(row, params, now, cost) === 0
    if (fits || block?.on !== 'exceeded' || blockedUntil > now) {
      this.#saveInitial(cursor, state)
      return
    }
    this.#startBlock(cursor, state, block)
    // Saved again, because a bucket must not expire during a block.
    if (steps.persistsOnDenial(params)) this.#rows.save(cursor, state)
  }

  #startBlock(cursor: Cursor, state: LoadedState, block: Block): void {
    this.#setBlock(cursor, state, startedBlock(this.#rows.loadBlock(cursor), block, state.now))
  }

  #setBlock(cursor: Cursor, state: LoadedState, block: Row): void {
    state.blockedUntil = block[UNTIL]
    this.#rows.saveBlock(cursor, block, state.now)
  }

  #unblock(cursor: Cursor, state: LoadedState): void {
    state.blockedUntil = 0
    this.#rows.forgetBlock(cursor)
  }

  /** Runs the verbs that do not depend on a limit. Returns false if a lease was not held. */
  #change(
    cursor: Cursor,
    state: LoadedState,
    request: Exclude<StoreRequest, DecisionRequest | ResetRequest>,
    index: number,
  ): boolean {
    const { entry, steps } = cursor
    const { params } = entry
    const { row, now } = state
    const before = [...row]
    switch (request.verb) {
      case 'block':
        this.#setBlock(cursor, state, [now + request.forMs, 0])
        return true
      case 'unblock':
        this.#unblock(cursor, state)
        return true
      case 'release':
        if (steps.release?.(row, params, now) !== true) return false
        break
      case 'renew':
        if (steps.renew?.(row, params, now) !== true) return false
        break
      case 'penalize':
        steps.take(row, params, now, request.units)
        break
      case 'refundUnits':
        steps.refundUnits(row, params, now, request.units)
        break
      case 'refundReceipt': {
        const receipt = request.receipts[index]
        if (isForgotten(this.#rows.loadReset(cursor), receipt)) return true
        steps.refundReceipt(row, params, now, request.cost, receipt.row, receipt.now)
        if (differ(row, before) && this.#isUndone(cursor, state, receipt)) {
          this.#unblock(cursor, state)
        }
        break
      }
    }
    // An unchanged row is not written, because that could extend the lifetime of a bucket. A body can change although its row does not.
    if (entry.steps.bodied === true || differ(row, before)) this.#rows.save(cursor, state)
    return true
  }

  /** Whether the refund of a consumption also ends the block: without the consumption, the limit would not have been reached. */
  #isUndone(cursor: Cursor, { blockedUntil, now }: LoadedState, receipt: State): boolean {
    const length = this.#rows.loadBlock(cursor)[LENGTH]
    const isByLimit = cursor.entry.block?.on === 'reached' && length > 0
    return isByLimit && blockedUntil > now && blockedUntil - length >= receipt.now
  }

  #reset(cursors: readonly Cursor[], states: readonly LoadedState[], unblock: boolean): boolean {
    if (!unblock && states.some(({ blockedUntil, now }) => blockedUntil > now)) return false
    cursors.forEach((cursor, i) => {
      const { entry, steps } = cursor
      const { row, now } = states[i]
      // Leases need no record of the reset: a receipt names its lease, and the reset ends that lease.
      const ends = steps.release === undefined ? entry.steps.ends(row, entry.params) : now
      this.#rows.saveReset(cursor, now, ends)
      this.#rows.forget(cursor)
      if (steps.forget !== undefined) {
        steps.forget(row, entry.params, now)
        this.#rows.save(cursor, states[i])
      }
      this.#unblock(cursor, states[i])
    })
    return true
  }
}

/** Advances all rows to their `now`, and returns whether the cost fits all of them. */
function look(cursors: readonly Cursor[], states: readonly LoadedState[], cost: number): boolean {
  let fits = true
  for (let i = 0; i < cursors.length; i++) {
    const { entry, steps } = cursors[i]
    const { row, blockedUntil, now } = states[i]
    if (!steps.look(row, entry.params, now, cost) || blockedUntil > now) fits = false
  }
  return fits
}

function differ(row: Row, other: Row): boolean {
  return row.some((cell, i) => cell !== other[i])
}
