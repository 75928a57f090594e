import type { Row } from '../../algorithms/algorithm.js'
import { LENGTH, startedBlock, UNTIL } from '../block.js'
import type { Time } from '../../clock.js'
import type { Block } from '../../policy.js'
import type { Outcome, State, StoreRequest, Verb } from '../store.js'
import { isForgotten } from './reset.js'
import type { LoadedState, StateTable, Cursor } from './state-table.js'

/** Runs one request, all or nothing. Its twin is the `decide` of the Redis script: the same verbs in the same order. */
export class Executor {
  readonly #rows: StateTable
  readonly #time: Time

  constructor(rows: StateTable, time: Time) {
    this.#rows = rows
    this.#time = time
  }

  run(request: StoreRequest): Outcome {
    const { entries, keys, now: injected, lease } = request
    const cursors = this.#rows.cursorsOf(entries)
    const now = injected ?? this.#time.monotonic()
    this.#rows.begin(now)
    // A peek changes nothing, not even what is kept beyond its end.
    if (request.verb !== 'peek') this.#rows.sweepSome()
    this.#rows.seekKey(keys[0])
    // The first by itself: an array that is filled by pushing takes the memory of seventeen.
    const states = [this.#rows.load(cursors[0], this.#timeOf(cursors[0], injected, now), lease)]
    for (let i = 1; i < entries.length; i++) {
      if (keys[i] !== keys[i - 1]) this.#rows.seekKey(keys[i])
      states.push(this.#rows.load(cursors[i], this.#timeOf(cursors[i], injected, now), lease))
    }
    return { allowed: this.#decide(request, cursors, states), states }
  }

  #timeOf({ followsWall }: Cursor, injected: number | undefined, now: number): number {
    return followsWall && injected === undefined ? this.#time.wall() : now
  }

  #decide(
    request: StoreRequest,
    cursors: readonly Cursor[],
    states: readonly LoadedState[],
  ): boolean {
    const { verb, cost } = request
    switch (verb) {
      case 'peek':
        return look(cursors, states, cost)
      case 'consume': {
        const fits = look(cursors, states, cost)
        for (let i = 0; i < cursors.length; i++) {
          if (fits) this.#take(cursors[i], states[i], cost)
          else this.#deny(cursors[i], states[i], cost)
        }
        return fits
      }
      case 'reset':
        return this.#reset(cursors, states, cost === 1)
      default: {
        look(cursors, states, 0)
        const { receipts } = request
        const changed = cursors.map((cursor, i) =>
          this.#change(cursor, states[i], verb, cost, receipts?.[i]),
        )
        return changed.includes(true)
      }
    }
  }

  /** A bucket is born when it is first asked for, even by a request that takes nothing. */
  #saveInitial(cursor: Cursor, state: LoadedState): void {
    const { steps, params } = cursor.entry
    if (steps.persistsOnDenial?.(params) === true && !this.#rows.isKept(cursor))
      this.#rows.save(cursor, state)
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
    this.#saveInitial(cursor, state)
    if (block?.on !== 'exceeded' || state.blockedUntil > state.now) return
    const wait = steps.wait(state.row, params, state.now, cost)
    if (wait > 0 && wait !== Infinity) this.#startBlock(cursor, state, block)
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

  /** The verbs that ask nobody. False where there was nothing to change. */
  #change(
    cursor: Cursor,
    state: LoadedState,
    verb: Exclude<Verb, 'consume' | 'peek' | 'reset'>,
    cost: number,
    receipt: State | undefined,
  ): boolean {
    const { entry, steps } = cursor
    const { params } = entry
    const { row, now } = state
    const looked = [...row]
    switch (verb) {
      case 'block':
        this.#setBlock(cursor, state, [now + cost, 0])
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
        steps.take(row, params, now, cost)
        break
      case 'refundUnits':
        steps.refundUnits(row, params, now, cost)
        break
      case 'refundReceipt':
        if (receipt === undefined) return false
        if (isForgotten(this.#rows.loadReset(cursor), receipt)) return true
        steps.refundReceipt(row, params, now, cost, receipt.row, receipt.now)
        if (differ(row, looked) && this.#isUndone(cursor, state, receipt))
          this.#unblock(cursor, state)
        break
    }
    // What gives or takes nothing writes nothing, or a bucket would be remembered for longer. A body may have been trimmed all the same.
    if (entry.steps.bodied === true || differ(row, looked)) this.#rows.save(cursor, state)
    return true
  }

  /** Whether a block goes with a consumption that is given back: without it the limit would not have been reached. */
  #isUndone(cursor: Cursor, { blockedUntil, now }: LoadedState, receipt: State): boolean {
    const length = this.#rows.loadBlock(cursor)[LENGTH]
    const isByLimit = cursor.entry.block?.on === 'reached' && length > 0
    return isByLimit && blockedUntil > now && blockedUntil - length >= receipt.now
  }

  #reset(cursors: readonly Cursor[], states: readonly LoadedState[], unblocking: boolean): boolean {
    if (!unblocking && states.some(({ blockedUntil, now }) => blockedUntil > now)) return false
    cursors.forEach((cursor, i) => {
      const { entry, steps } = cursor
      const { row, now } = states[i]
      // A receipt of a lease names that lease, and the reset has ended it.
      if (steps.release === undefined) {
        this.#rows.saveReset(cursor, now, entry.steps.ends(row, entry.params))
      }
      if (steps.forget === undefined) {
        this.#rows.forget(cursor)
      } else {
        steps.forget(row, entry.params, now)
        this.#rows.save(cursor, states[i])
      }
      this.#unblock(cursor, states[i])
    })
    return true
  }
}

/** Brings all rows up to now, and tells whether the cost fits all of them. */
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
