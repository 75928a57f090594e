import type { BodiedSteps, Row } from '../../algorithms/algorithm.js'
import { LENGTH, startedBlock, UNTIL } from '../../block.js'
import type { Time } from '../../clock.js'
import type { Entry, Outcome, State, StoreRequest, Verb } from '../store.js'
import type { Rows } from './rows.js'

/** An entry of the running request: its state and its time. */
interface Work {
  readonly entry: Entry
  readonly steps: BodiedSteps
  readonly now: number
  readonly row: Row
  block: Row
}

/** Runs one request, all or nothing. Its twin is the `decide` of the Redis script: the same verbs in the same order. */
export function createDriver(rows: Rows, time: Time): (request: StoreRequest) => Outcome {
  function run(request: StoreRequest): Outcome {
    const { entries, keys, now: injected } = request
    const now = injected ?? time.monotonic()
    const wall = injected ?? (entries.some(followsWall) ? time.wall() : now)
    const works: Work[] = []
    rows.begin(now)
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i]
      const row = rows.load(i, entry, keys[i])
      const steps =
        'over' in entry.steps ? entry.steps.over(rows.body(i, entry), request.lease) : entry.steps
      const time = followsWall(entry) ? wall : now
      works.push({ entry, steps, now: time, row, block: rows.loadBlock(i) })
    }
    const allowed = decide(request, works)
    return { allowed, states: works.map(stateOf) }
  }

  function decide(request: StoreRequest, works: readonly Work[]): boolean {
    const { verb, cost } = request
    if (verb === 'reset') return reset(works, cost === 1)
    let fits = true
    const asked = verb === 'consume' || verb === 'peek' ? cost : 0
    for (const { entry, steps, now, row, block } of works) {
      const looked = steps.look(row, entry.params, now, asked)
      if (!looked || block[UNTIL] > now) fits = false
    }
    if (verb === 'peek') return fits
    if (verb === 'consume') {
      works.forEach((work, i) => (fits ? take(work, i, cost) : deny(work, i, cost)))
      return fits
    }
    const changed = works.map((work, i) => change(work, i, verb, request))
    return changed.includes(true)
  }

  /** A bucket is born when it is first asked for, even by a request that takes nothing. */
  function bear({ entry, row, now }: Work, i: number): void {
    if (rows.isKept(i) || entry.steps.bornDenied?.(entry.params) !== true) return
    rows.save(i, entry, row, now)
  }

  function take(work: Work, i: number, cost: number): void {
    const { entry, steps, now, row } = work
    const { params, block } = entry
    if (cost === 0) {
      bear(work, i)
      return
    }
    steps.take(row, params, now, cost)
    rows.save(i, entry, row, now)
    if (block?.on === 'reached' && !steps.look(row, params, now, 1)) begin(work, i)
  }

  function deny(work: Work, i: number, cost: number): void {
    const { entry, now, row } = work
    const { steps, params, block } = entry
    bear(work, i)
    if (block?.on !== 'exceeded' || work.block[UNTIL] > now) return
    const wait = steps.wait(row, params, now, cost)
    if (wait > 0 && wait !== Infinity) begin(work, i)
  }

  function begin(work: Work, i: number): void {
    const { entry, now } = work
    if (entry.block === undefined) return
    work.block = startedBlock(work.block, entry.block, now)
    rows.saveBlock(i, work.block, now)
  }

  /** The verbs that ask nobody. False where there was nothing to change. */
  function change(
    work: Work,
    i: number,
    verb: Exclude<Verb, 'consume' | 'peek' | 'reset'>,
    { cost, receipts }: StoreRequest,
  ): boolean {
    const { entry, steps, now, row } = work
    const { params } = entry
    const looked = [...row]
    switch (verb) {
      case 'block':
        work.block = [now + cost, 0]
        rows.saveBlock(i, work.block, now)
        return true
      case 'unblock':
        unblock(work, i)
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
      case 'give': {
        const receipt = receipts?.[i]
        if (receipt === undefined) return false
        steps.give(row, params, now, cost, receipt.row)
        if (differ(row, looked) && isUndone(work, receipt)) unblock(work, i)
        break
      }
    }
    // What gives or takes nothing writes nothing, or a bucket would be remembered for longer. A body may have been trimmed all the same.
    if ('over' in entry.steps || differ(row, looked)) {
      rows.save(i, entry, row, now)
    }
    return true
  }

  function unblock(work: Work, i: number): void {
    work.block = [0, 0]
    rows.forgetBlock(i)
  }

  function reset(works: readonly Work[], unblocking: boolean): boolean {
    if (!unblocking && works.some(({ block, now }) => block[UNTIL] > now)) return false
    works.forEach((work, i) => {
      const { entry, steps, now, row } = work
      if (steps.forget === undefined) {
        rows.forget(i)
      } else {
        steps.forget(row, entry.params, now)
        rows.save(i, entry, row, now)
      }
      unblock(work, i)
    })
    return true
  }

  return run
}

function differ(row: Row, other: Row): boolean {
  return row.some((cell, i) => cell !== other[i])
}

/** Whether a block goes with a consumption that is given back: without it the limit would not have been reached. */
function isUndone({ entry, block, now }: Work, receipt: State): boolean {
  const began = block[UNTIL] - block[LENGTH]
  const isByLimit = entry.block?.on === 'reached' && block[LENGTH] > 0
  return isByLimit && block[UNTIL] > now && began >= receipt.now
}

function stateOf({ row, block, now }: Work): State {
  return { row, blockedUntil: block[UNTIL], now }
}

function followsWall({ steps, params }: Entry): boolean {
  return steps.followsWall(params)
}
