import type { Algorithm, Numbers, Row } from '../algorithm.js'
import { stagedId } from './ids.js'

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
  const [first, second] = [widthOf(free), widthOf(then)]
  const last = first + second
  const quota = Math.max(free.steps.quota(free.params), then.steps.quota(then.params))
  const isDated = free.steps.isDated === true || then.steps.isDated === true

  function rowsOf(row: Row): [free: Row, then: Row] {
    return [row.slice(0, first), row.slice(first, last)]
  }

  /** Runs a function on both rows, and copies them back. */
  function change<T>(row: Row, run: (freeRow: Row, thenRow: Row) => T): T {
    const [freeRow, thenRow] = rowsOf(row)
    const result = run(freeRow, thenRow)
    ;[...freeRow, ...thenRow].forEach((cell, i) => (row[i] = cell))
    return result
  }

  function startsIn(row: Row): number {
    return Math.floor(row[last] / takings)
  }

  function left({ steps, params }: Stage, row: Row, now: number): number {
    return Math.max(0, steps.quota(params) - steps.used(row, params, now))
  }

  function used(row: Row, now: number): number {
    const [freeRow, thenRow] = rowsOf(row)
    return quota - Math.max(left(free, freeRow, now), left(then, thenRow, now))
  }

  return {
    id: stagedId(free.steps.id, then.steps.id),
    // A cell can be a time or a count, so all have the size of a time.
    size: () => ({ times: 0, counts: last + 1 }),
    args(_params, now) {
      const freeArgs = free.steps.args(free.params, now)
      return [first, second, freeArgs.length, ...freeArgs, ...then.steps.args(then.params, now)]
    },
    ...(isDated ? { isDated } : {}),
    followsWall: () =>
      free.steps.followsWall?.(free.params) === true ||
      then.steps.followsWall?.(then.params) === true,

    look: (row, _params, now, cost) =>
      change(row, (freeRow, thenRow) => {
        const fits = free.steps.look(freeRow, free.params, now, cost)
        return then.steps.look(thenRow, then.params, now, cost) || fits
      }),

    take(row, _params, now, cost) {
      change(row, (freeRow, thenRow) => {
        if (!free.steps.look(freeRow, free.params, now, cost)) {
          then.steps.take(thenRow, then.params, now, cost)
          row[last] = startsIn(row) * takings + THEN
          return
        }
        free.steps.take(freeRow, free.params, now, cost)
        row[last] = startsIn(row) * takings + FREE
        if (cost === 0 || free.steps.look(freeRow, free.params, now, 1)) return
        // This request takes the last unit of `free`: from now on `then` counts, and it begins with no units used.
        thenRow.fill(0)
        then.steps.look(thenRow, then.params, now, cost)
        then.steps.take(thenRow, then.params, now, cost)
        row[last] = ((startsIn(row) + 1) % starts) * takings + BOTH
      })
    },

    refund(row, _params, now, units, receipt, takenAt) {
      const [freeReceipt, thenReceipt] = receipt === undefined ? [] : rowsOf(receipt)
      const taken = receipt === undefined ? BOTH : receipt[last] % takings
      const isSameStart = receipt === undefined || startsIn(receipt) === startsIn(row)
      change(row, (freeRow, thenRow) => {
        if (taken !== THEN) {
          free.steps.refund(freeRow, free.params, now, units, freeReceipt, takenAt)
        }
        if (taken !== FREE && isSameStart) {
          then.steps.refund(thenRow, then.params, now, units, thenReceipt, takenAt)
        }
      })
    },

    ends(row) {
      const [freeRow, thenRow] = rowsOf(row)
      return Math.max(free.steps.ends(freeRow, free.params), then.steps.ends(thenRow, then.params))
    },

    used: (row, _params, now) => used(row, now),
    quota: () => quota,
    windowMs: () => free.steps.windowMs(free.params),

    read(row, _params, now, cost, isTaken): Numbers {
      const [freeRow, thenRow] = rowsOf(row)
      const target = quota - used(row, now) + 1
      const a = free.steps.read(freeRow, free.params, now, cost, false, target)
      const b = then.steps.read(thenRow, then.params, now, cost, isTaken, target)
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

function widthOf({ steps, params }: Stage): number {
  const { times, counts, extras = 0 } = steps.size(params)
  return times + counts + extras
}
