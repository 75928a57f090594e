import type { Row } from '../../algorithms/algorithm.js'
import { LENGTH, startedBlock, UNTIL } from '../../block.js'
import type { Time } from '../../clock.js'
import type { Block } from '../../policy.js'
import type { Outcome, State, StoreRequest, Verb } from '../store.js'
import type { Held, Rows, Work } from './rows.js'

/** Runs one request, all or nothing. Its twin is the `decide` of the Redis script: the same verbs in the same order. */
export function createDriver(rows: Rows, time: Time): (request: StoreRequest) => Outcome {
  function run(request: StoreRequest): Outcome {
    const { entries, keys, now: injected, lease } = request
    const works = rows.worksOf(entries)
    const now = injected ?? time.monotonic()
    rows.begin(now)
    // A peek changes nothing, not even what is kept beyond its end.
    if (request.verb !== 'peek') rows.tidy()
    rows.turnTo(keys[0])
    // The first by itself: an array that is filled by pushing takes the memory of seventeen.
    const states = [rows.load(works[0], timeOf(works[0], injected, now), lease)]
    for (let i = 1; i < entries.length; i++) {
      if (keys[i] !== keys[i - 1]) rows.turnTo(keys[i])
      states.push(rows.load(works[i], timeOf(works[i], injected, now), lease))
    }
    return { allowed: decide(request, works, states), states }
  }

  function timeOf({ followsWall }: Work, injected: number | undefined, now: number): number {
    return followsWall && injected === undefined ? time.wall() : now
  }

  function decide(request: StoreRequest, works: readonly Work[], states: readonly Held[]): boolean {
    const { verb, cost } = request
    switch (verb) {
      case 'peek':
        return look(works, states, cost)
      case 'consume': {
        const fits = look(works, states, cost)
        for (let i = 0; i < works.length; i++) {
          if (fits) take(works[i], states[i], cost)
          else deny(works[i], states[i], cost)
        }
        return fits
      }
      case 'reset':
        return reset(works, states, cost === 1)
      default: {
        look(works, states, 0)
        const { receipts } = request
        const changed = works.map((work, i) => change(work, states[i], verb, cost, receipts?.[i]))
        return changed.includes(true)
      }
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

  /** A bucket is born when it is first asked for, even by a request that takes nothing. */
  function bear(work: Work, state: Held): void {
    const { steps, params } = work.entry
    if (steps.bornDenied?.(params) === true && !rows.isKept(work)) rows.save(work, state)
  }

  function take(work: Work, state: Held, cost: number): void {
    const { steps, entry } = work
    if (cost === 0) {
      bear(work, state)
      return
    }
    steps.take(state.row, entry.params, state.now, cost)
    rows.save(work, state)
    if (entry.block?.on === 'reached' && !steps.look(state.row, entry.params, state.now, 1)) {
      begin(work, state, entry.block)
    }
  }

  function deny(work: Work, state: Held, cost: number): void {
    const { steps, params, block } = work.entry
    bear(work, state)
    if (block?.on !== 'exceeded' || state.blockedUntil > state.now) return
    const wait = steps.wait(state.row, params, state.now, cost)
    if (wait > 0 && wait !== Infinity) begin(work, state, block)
  }

  function begin(work: Work, state: Held, block: Block): void {
    shut(work, state, startedBlock(rows.loadBlock(work), block, state.now))
  }

  function shut(work: Work, state: Held, block: Row): void {
    state.blockedUntil = block[UNTIL]
    rows.saveBlock(work, block, state.now)
  }

  function unblock(work: Work, state: Held): void {
    state.blockedUntil = 0
    rows.forgetBlock(work)
  }

  /** The verbs that ask nobody. False where there was nothing to change. */
  function change(
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
        shut(work, state, [now + cost, 0])
        return true
      case 'unblock':
        unblock(work, state)
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
        steps.give(row, params, now, cost, receipt.row)
        if (differ(row, looked) && isUndone(work, state, receipt)) unblock(work, state)
        break
    }
    // What gives or takes nothing writes nothing, or a bucket would be remembered for longer. A body may have been trimmed all the same.
    if ('over' in entry.steps || differ(row, looked)) rows.save(work, state)
    return true
  }

  /** Whether a block goes with a consumption that is given back: without it the limit would not have been reached. */
  function isUndone(work: Work, { blockedUntil, now }: Held, receipt: State): boolean {
    const length = rows.loadBlock(work)[LENGTH]
    const isByLimit = work.entry.block?.on === 'reached' && length > 0
    return isByLimit && blockedUntil > now && blockedUntil - length >= receipt.now
  }

  function reset(works: readonly Work[], states: readonly Held[], unblocking: boolean): boolean {
    if (!unblocking && states.some(({ blockedUntil, now }) => blockedUntil > now)) return false
    works.forEach((work, i) => {
      const { entry, steps } = work
      if (steps.forget === undefined) {
        rows.forget(work)
      } else {
        steps.forget(states[i].row, entry.params, states[i].now)
        rows.save(work, states[i])
      }
      unblock(work, states[i])
    })
    return true
  }

  return run
}

function differ(row: Row, other: Row): boolean {
  return row.some((cell, i) => cell !== other[i])
}
