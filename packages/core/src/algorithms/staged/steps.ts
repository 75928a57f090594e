import type { Algorithm, Numbers, Row, Taken } from '../algorithm.js'

/** A policy whose complete state is a row. */
export interface Stage {
  readonly steps: Algorithm
  readonly params: object
}

// From which of them the last allowed request took units.
const FREE = 1
const THEN = 2
const BOTH = 3
const takings = 4

/** The resets of `then` are counted modulo this. */
const starts = 2 ** 14

/**
 * The steps of two policies: the second decides the requests that the first would deny. Their row is the row of free, the row of then, and a last cell: from which
 * of them the last allowed request took units, plus `takings` times the number of resets of `then`, modulo `starts`.
 */
export function stagedSteps(free: Stage, then: Stage): Algorithm {
  const first = stepsAt(free, 0)
  const second = stepsAt(then, first.end)
  const last = second.end
  const quota = Math.max(first.quota, second.quota)

  function startsIn(row: Row): number {
    return Math.floor(row[last] / takings)
  }

  function used(row: Row, now: number): number {
    return quota - Math.max(first.left(row, now), second.left(row, now))
  }

  return {
    id: free.steps.id * radix + then.steps.id,
    // A cell can be a time or a count, so all have the size of a time.
    size: () => ({ times: 0, counts: last + 1 }),
    args(_params, now) {
      const args = free.steps.args(free.params, now)
      const widths = [first.end, last - first.end]
      return [...widths, args.length, ...args, ...then.steps.args(then.params, now)]
    },
    isDated: free.steps.isDated === true || then.steps.isDated === true,
    followsWall: () =>
      free.steps.followsWall?.(free.params) === true ||
      then.steps.followsWall?.(then.params) === true,

    look(row, _params, now, cost) {
      const fits = first.look(row, now, cost)
      return second.look(row, now, cost) || fits
    },

    take(row, _params, now, cost) {
      if (!first.look(row, now, cost)) {
        second.take(row, now, cost)
        row[last] = startsIn(row) * takings + THEN
        return
      }
      first.take(row, now, cost)
      row[last] = startsIn(row) * takings + FREE
      if (cost === 0 || first.look(row, now, 1)) return
      // This request takes the last unit of `free`: from now on `then` counts, and it begins with no units used.
      row.fill(0, first.end, last)
      second.look(row, now, cost)
      second.take(row, now, cost)
      row[last] = ((startsIn(row) + 1) % starts) * takings + BOTH
    },

    refund(row, _params, now, units, taken) {
      const stages = taken === undefined ? BOTH : taken.row[last] % takings
      const isSameStart = taken === undefined || startsIn(taken.row) === startsIn(row)
      if (stages !== THEN) first.refund(row, now, units, taken)
      if (stages !== FREE && isSameStart) second.refund(row, now, units, taken)
    },

    ends: (row) => Math.max(first.ends(row), second.ends(row)),
    used: (row, _params, now) => used(row, now),
    quota: () => quota,
    windowMs: () => free.steps.windowMs(free.params),
    mostUnits: () =>
      Math.min(...[free, then].map(({ steps, params }) => steps.mostUnits?.(params) ?? Infinity)),

    read(row, _params, now, cost, isTaken) {
      const target = quota - used(row, now) + 1
      const a = first.read(row, now, cost, false, target)
      const b = second.read(row, now, cost, isTaken, target)
      const wait = isTaken ? 0 : Math.min(a.wait, b.wait)
      const isFree = isTaken && cost > 0 ? row[last] % takings !== THEN : a.wait === 0
      return {
        used: used(row, now),
        wait,
        next: Math.min(a.next, b.next),
        full: Math.max(a.full, b.full),
        delay: isFree ? 0 : b.delay,
        // A unit of `free` may be available before the queue is short enough.
        ...(b.queue === undefined ? {} : { queue: wait < b.queue ? 0 : b.queue }),
      }
    },
  }
}

/** The steps of one stage, over the part of the row that begins at an index. */
function stepsAt({ steps, params }: Stage, start: number) {
  const { times, counts, extras = 0 } = steps.size(params)
  const end = start + times + counts + extras
  const quota = steps.quota(params)

  function over<T>(row: Row, run: (own: Row) => T): T {
    const own = row.slice(start, end)
    const result = run(own)
    own.forEach((cell, i) => (row[start + i] = cell))
    return result
  }

  return {
    end,
    quota,
    left: (row: Row, now: number): number =>
      over(row, (own) => Math.max(0, quota - steps.used(own, params, now))),
    look: (row: Row, now: number, cost: number): boolean =>
      over(row, (own) => steps.look(own, params, now, cost)),
    take: (row: Row, now: number, cost: number): void =>
      over(row, (own) => steps.take(own, params, now, cost)),
    refund(row: Row, now: number, units: number, taken?: Taken): void {
      const part = taken && { ...taken, row: taken.row.slice(start, end) }
      over(row, (own) => steps.refund(own, params, now, units, part))
    },
    ends: (row: Row): number => over(row, (own) => steps.ends(own, params)),
    read: (row: Row, now: number, cost: number, isTaken: boolean, target: number): Numbers =>
      over(row, (own) => steps.read(own, params, now, cost, isTaken, target)),
  }
}

/** All other ids are smaller. */
const radix = 256

/** The ids of both algorithms of `stagedSteps`; undefined if this is not the id of a pair. */
export function stagesOf(id: number): readonly [free: number, then: number] | undefined {
  return id < radix ? undefined : [Math.floor(id / radix), id % radix]
}
