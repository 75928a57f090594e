import { usualReading, type RowAlgorithm, type Cells, type Params, type Row } from '../algorithm.js'
import { stagedId } from '../ids.js'

// row: [the times of free, the times of then, the counts of free, the counts of then;
//       from which of them the last allowed request took units, plus `takings` times the number of resets of `then`, modulo `starts`;
//       the extras of free, the extras of then]
const FREE = 1
const THEN = 2
const BOTH = 3
const takings = 4

/** The resets of `then` are counted modulo this, so that the cell takes two bytes. */
const starts = 2 ** 14

/** A policy whose complete state is a row. */
export interface StagePolicy {
  readonly steps: RowAlgorithm
  readonly params: Params
}

/** The steps of two policies: the second decides the requests that the first would deny. */
export function stagedSteps(free: StagePolicy, then: StagePolicy): RowAlgorithm {
  const first = { extras: 0, ...free.steps.cells(free.params) }
  const second = { extras: 0, ...then.steps.cells(then.params) }
  const stage = first.times + second.times + first.counts + second.counts

  function rowOfFree(row: Row): Row {
    return part(row, first, 0, first.times + second.times, stage + 1)
  }

  function rowOfThen(row: Row): Row {
    const countsAt = first.times + second.times + first.counts
    return part(row, second, first.times, countsAt, stage + 1 + first.extras)
  }

  function write(row: Row, freeRow: Row, thenRow: Row): void {
    const [times, counts, extras] = split(freeRow, first)
    const [thenTimes, thenCounts, thenExtras] = split(thenRow, second)
    const cells = [...times, ...thenTimes, ...counts, ...thenCounts, row[stage]]
    ;[...cells, ...extras, ...thenExtras].forEach((cell, i) => (row[i] = cell))
  }

  function startsIn(row: Row): number {
    return Math.floor(row[stage] / takings)
  }

  function remaining({ steps, params }: StagePolicy, row: Row, now: number): number {
    return Math.max(0, steps.quota(params) - steps.used(row, params, now))
  }

  const quota = Math.max(free.steps.quota(free.params), then.steps.quota(then.params))

  const steps: RowAlgorithm = {
    ...usualReading,
    id: stagedId(free.steps.id, then.steps.id),
    cells: () => ({
      times: first.times + second.times,
      counts: first.counts + second.counts + 1,
      extras: first.extras + second.extras,
    }),
    args: (_params, now) => [...argsOf(free, first, now), ...argsOf(then, second, now)],
    datedArgs: free.steps.datedArgs === true || then.steps.datedArgs === true,

    look(row, _params, now, cost) {
      const freeRow = rowOfFree(row)
      const thenRow = rowOfThen(row)
      const fitsFree = free.steps.look(freeRow, free.params, now, cost)
      const fitsThen = then.steps.look(thenRow, then.params, now, cost)
      write(row, freeRow, thenRow)
      return fitsFree || fitsThen
    },

    take(row, _params, now, cost) {
      const freeRow = rowOfFree(row)
      let thenRow = rowOfThen(row)
      if (!free.steps.look(freeRow, free.params, now, cost)) {
        then.steps.take(thenRow, then.params, now, cost)
        row[stage] = startsIn(row) * takings + THEN
      } else {
        free.steps.take(freeRow, free.params, now, cost)
        row[stage] = startsIn(row) * takings + FREE
        if (cost > 0 && !free.steps.look(freeRow, free.params, now, 1)) {
          // This request takes the last unit of `free`: from now on `then` counts, and it begins with no units used.
          thenRow = thenRow.map(() => 0)
          then.steps.look(thenRow, then.params, now, cost)
          then.steps.take(thenRow, then.params, now, cost)
          row[stage] = ((startsIn(row) + 1) % starts) * takings + BOTH
        }
      }
      write(row, freeRow, thenRow)
    },

    refundReceipt(row, _params, now, cost, receipt, takenAt) {
      const freeRow = rowOfFree(row)
      const thenRow = rowOfThen(row)
      const taken = receipt[stage] % takings
      if (taken !== THEN) {
        free.steps.refundReceipt(freeRow, free.params, now, cost, rowOfFree(receipt), takenAt)
      }
      if (taken !== FREE && startsIn(receipt) === startsIn(row)) {
        then.steps.refundReceipt(thenRow, then.params, now, cost, rowOfThen(receipt), takenAt)
      }
      write(row, freeRow, thenRow)
    },

    refundUnits(row, _params, now, units) {
      const freeRow = rowOfFree(row)
      const thenRow = rowOfThen(row)
      free.steps.refundUnits(freeRow, free.params, now, units)
      then.steps.refundUnits(thenRow, then.params, now, units)
      write(row, freeRow, thenRow)
    },

    forget(row, _params, now) {
      const freeRow = rowOfFree(row)
      const thenRow = rowOfThen(row)
      forget(free, freeRow, now)
      forget(then, thenRow, now)
      write(row, freeRow, thenRow)
      row[stage] = 0
    },

    ends: (row) =>
      Math.max(
        free.steps.ends(rowOfFree(row), free.params),
        then.steps.ends(rowOfThen(row), then.params),
      ),

    wait: (row, _params, now, cost) =>
      Math.min(
        free.steps.wait(rowOfFree(row), free.params, now, cost),
        then.steps.wait(rowOfThen(row), then.params, now, cost),
      ),

    used: (row, _params, now) =>
      quota - Math.max(remaining(free, rowOfFree(row), now), remaining(then, rowOfThen(row), now)),
    quota: () => quota,
    windowMs: () => free.steps.windowMs(free.params),
    followsWall: () => free.steps.followsWall(free.params) || then.steps.followsWall(then.params),
    persistsOnDenial: () =>
      free.steps.persistsOnDenial(free.params) || then.steps.persistsOnDenial(then.params),

    full: (row) =>
      Math.max(
        free.steps.full(rowOfFree(row), free.params),
        then.steps.full(rowOfThen(row), then.params),
      ),

    next: (row, _params, now, remaining) =>
      Math.min(
        free.steps.next(rowOfFree(row), free.params, now, remaining),
        then.steps.next(rowOfThen(row), then.params, now, remaining),
      ),

    delay(row, _params, now, cost, taken) {
      const isFree = taken
        ? row[stage] % takings !== THEN
        : free.steps.wait(rowOfFree(row), free.params, now, cost) === 0
      if (isFree) return 0
      return then.steps.delay(rowOfThen(row), then.params, now, cost, taken)
    },
  }
  if (then.steps.queueWait === undefined) return steps

  function queueWait(row: Row, params: Params, now: number, cost: number): number {
    const wait = steps.wait(row, params, now, cost)
    const ofThen = then.steps.queueWait?.(rowOfThen(row), then.params, now, cost) ?? 0
    // A unit of `free` may be available before the queue is short enough.
    return wait < ofThen ? 0 : ofThen
  }
  return { ...steps, queueWait }
}

function forget({ steps, params }: StagePolicy, row: Row, now: number): void {
  if (steps.forget === undefined) row.fill(0)
  else steps.forget(row, params, now)
}

function part(
  row: Row,
  { times, counts, extras }: Required<Cells>,
  timesAt: number,
  countsAt: number,
  extrasAt: number,
): Row {
  return [
    ...row.slice(timesAt, timesAt + times),
    ...row.slice(countsAt, countsAt + counts),
    ...row.slice(extrasAt, extrasAt + extras),
  ]
}

function split(row: Row, { times, counts }: Cells): [times: Row, counts: Row, extras: Row] {
  return [row.slice(0, times), row.slice(times, times + counts), row.slice(times + counts)]
}

function argsOf({ steps, params }: StagePolicy, cells: Required<Cells>, now: number): number[] {
  const args = steps.args(params, now)
  return [cells.times, cells.counts, cells.extras, args.length, ...args]
}
