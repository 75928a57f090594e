import type { Row } from '../../algorithms/algorithm.js'
import { LENGTH, startedBlock, UNTIL } from '../block.js'
import type { Time } from '../../clock.js'
import type { Block } from '../../policy.js'
import type { Outcome, State, StoreRequest, Verb } from '../store.js'
import { isForgotten } from './reset.js'
import type { Held, Rows, Work } from './rows.js'

/** Runs one request, all or nothing. Its twin is the `decide` of the Redis script: the same verbs in the same order. */
export class Driver {
  readonly #rows: Rows
  readonly #time: Time

  constructor(rows: Rows, time: Time) {
    this.#rows = rows
    this.#time = time
  }

  run(request: StoreRequest): Outcome {
    const { entries, keys, now: injected, lease } = request
    const works = this.#rows.worksOf(entries)
    const now = injected ?? this.#time.monotonic()
    this.#rows.begin(now)
    // A peek changes nothing, not even what is kept beyond its end.
    if (request.verb !== 'peek') this.#rows.tidy()
    this.#rows.turnTo(keys[0])
    // The first by itself: an array that is filled by pushing takes the memory of seventeen.
    const states = [this.#rows.load(works[0], this.#timeOf(works[0], injected, now), lease)]
    for (let i = 1; i < entries.length; i++) {
      if (keys[i] !== keys[i - 1]) this.#rows.turnTo(keys[i])
      states.push(this.#rows.load(works[i], this.#timeOf(works[i], injected, now), lease))
    }
    return { allowed: this.#decide(request, works, states), states }
  }

  #timeOf({ followsWall }: Work, injected: number | undefined, now: number): number {
    return followsWall && injected === undefined ? this.#time.wall() : now
  }

  #decide(request: StoreRequest, works: readonly Work[], states: readonly Held[]): boolean {
    const { verb, cost } = request
    switch (verb) {
      case 'peek':
        return look(works, states, cost)
      case 'consume': {
        const fits = look(works, states, cost)
        for (let i = 0; i < works.length; i++) {
          if (fits) this.#take(works[i], states[i], cost)
          else this.#deny(works[i], states[i], cost)
        }
        return fits
      }
      case 'reset':
        return this.#reset(works, states, cost === 1)
      default: {
        look(works, states, 0)
        const { receipts } = request
        const changed = works.map((work, i) =>
          this.#change(work, states[i], verb, cost, receipts?.[i]),
        )
        return changed.includes(true)
      }
    }
  }

  /** A bucket is born when it is first asked for, even by a request that takes nothing. */
  #bear(work: Work, state: Held): void {
    const { steps, params } = work.entry
    if (steps.bornDenied?.(params) === true && !this.#rows.isKept(work))
      this.#rows.save(work, state)
  }

  #take(work: Work, state: Held, cost: number): void {
    const { steps, entry } = work
    if (cost === 0) {
      this.#bear(work, state)
      return
    }
    steps.take(state.row, entry.params, state.now, cost)
    this.#rows.save(work, state)
    if (entry.block?.on === 'reached' && !steps.look(state.row, entry.params, state.now, 1)) {
      this.#begin(work, state, entry.block)
    }
  }

  #deny(work: Work, state: Held, cost: number): void {
    const { steps, params, block } = work.entry
    this.#bear(work, state)
    if (block?.on !== 'exceeded' || state.blockedUntil > state.now) return
    const wait = steps.wait(state.row, params, state.now, cost)
    if (wait > 0 && wait !== Infinity) this.#begin(work, state, block)
  }

  #begin(work: Work, state: Held, block: Block): void {
    this.#shut(work, state, startedBlock(this.#rows.loadBlock(work), block, state.now))
  }

  #shut(work: Work, state: Held, block: Row): void {
    state.blockedUntil = block[UNTIL]
    this.#rows.saveBlock(work, block, state.now)
  }

  #unblock(work: Work, state: Held): void {
    state.blockedUntil = 0
    this.#rows.forgetBlock(work)
  }

  /** The verbs that ask nobody. False where there was nothing to change. */
  #change(
    work: Work,
    state: Held,
    verb: Exclude<Verb, 'consume' | 'peek' | 'reset'>,
    cost: number,
    receipt: State | undefined,
  ): boolean {
    const { entry, steps } = work
    const { params } = entry
    const { row, now } = state
    const looked = [...row]
    switch (verb) {
      case 'block':
        this.#shut(work, state, [now + cost, 0])
        return true
      case 'unblock':
        this.#unblock(work, state)
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
      case 'forgive':
        steps.forgive(row, params, now, cost)
        break
      case 'give':
        if (receipt === undefined) return false
        if (isForgotten(this.#rows.loadReset(work), receipt)) return true
        steps.give(row, params, now, cost, receipt.row, receipt.now)
        if (differ(row, looked) && this.#isUndone(work, state, receipt)) this.#unblock(work, state)
        break
    }
    // What gives or takes nothing writes nothing, or a bucket would be remembered for longer. A body may have been trimmed all the same.
    if ('over' in entry.steps || differ(row, looked)) this.#rows.save(work, state)
    return true
  }

  /** Whether a block goes with a consumption that is given back: without it the limit would not have been reached. */
  #isUndone(work: Work, { blockedUntil, now }: Held, receipt: State): boolean {
    const length = this.#rows.loadBlock(work)[LENGTH]
    const isByLimit = work.entry.block?.on === 'reached' && length > 0
    return isByLimit && blockedUntil > now && blockedUntil - length >= receipt.now
  }

  #reset(works: readonly Work[], states: readonly Held[], unblocking: boolean): boolean {
    if (!unblocking && states.some(({ blockedUntil, now }) => blockedUntil > now)) return false
    works.forEach((work, i) => {
      const { entry, steps } = work
      const { row, now } = states[i]
      // A receipt of a lease names that lease, and the reset has ended it.
      if (steps.release === undefined) {
        this.#rows.saveReset(work, now, entry.steps.ends(row, entry.params))
      }
      if (steps.forget === undefined) {
        this.#rows.forget(work)
      } else {
        steps.forget(row, entry.params, now)
        this.#rows.save(work, states[i])
      }
      this.#unblock(work, states[i])
    })
    return true
  }
}

/** Brings all rows up to now, and tells whether the cost fits all of them. */
function look(works: readonly Work[], states: readonly Held[], cost: number): boolean {
  let fits = true
  for (let i = 0; i < works.length; i++) {
    const { entry, steps } = works[i]
    const { row, blockedUntil, now } = states[i]
    if (!steps.look(row, entry.params, now, cost) || blockedUntil > now) fits = false
  }
  return fits
}

function differ(row: Row, other: Row): boolean {
  return row.some((cell, i) => cell !== other[i])
}
