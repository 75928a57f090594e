import type { Algorithm, Cells, Params, Row } from '../algorithm.js'
import { fullAt, waitToRemain } from '../reading.js'
import { stagedLua } from './script.js'

// row: [moments of free, moments of then, counts of free, counts of then;
//       which of them the last admitted request took from, and `takings` times how often `then` was started anew]
const FREE = 1
const THEN = 2
const BOTH = 3
const takings = 4

/** The starts are counted modulo this, so that the cell takes two bytes. */
const starts = 2 ** 14

/** A rule whose whole state is a row. */
export interface Stage {
  readonly steps: Algorithm
  readonly params: Params
}

/** The steps of two rules in a row: what the first would deny, the second decides. */
export function stagedSteps(free: Stage, then: Stage): Algorithm {
  const first = free.steps.cells(free.params)
  const second = then.steps.cells(then.params)
  const stage = first.moments + second.moments + first.counts + second.counts

  function rowOfFree(row: Row): Row {
    return part(row, 0, first.moments, first.moments + second.moments, first.counts)
  }

  function rowOfThen(row: Row): Row {
    const countsAt = first.moments + second.moments + first.counts
    return part(row, first.moments, second.moments, countsAt, second.counts)
  }

  function write(row: Row, freeRow: Row, thenRow: Row): void {
    const moments = [...freeRow.slice(0, first.moments), ...thenRow.slice(0, second.moments)]
    const counts = [...freeRow.slice(first.moments), ...thenRow.slice(second.moments)]
    ;[...moments, ...counts].forEach((cell, i) => (row[i] = cell))
  }

  function startsIn(row: Row): number {
    return Math.floor(row[stage] / takings)
  }

  function remaining({ steps, params }: Stage, row: Row, now: number): number {
    return Math.max(0, steps.quota(params) - steps.used(row, params, now))
  }

  const quota = Math.max(free.steps.quota(free.params), then.steps.quota(then.params))

  const steps: Algorithm = {
    // A pair of kinds is a kind of its own.
    id: 160 + shortId(free) * 8 + shortId(then),
    cells: () => ({
      moments: first.moments + second.moments,
      counts: first.counts + second.counts + 1,
    }),
    args: (_params, now) => [...argsOf(free, first, now), ...argsOf(then, second, now)],
    lua: stagedLua(free.steps.lua, then.steps.lua),

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
          // The last of what is free: from this request on, the second counts, and it starts anew.
          thenRow = thenRow.map(() => 0)
          then.steps.look(thenRow, then.params, now, cost)
          then.steps.take(thenRow, then.params, now, cost)
          row[stage] = ((startsIn(row) + 1) % starts) * takings + BOTH
        }
      }
      write(row, freeRow, thenRow)
    },

    give(row, _params, now, cost, receipt, takenAt) {
      const freeRow = rowOfFree(row)
      const thenRow = rowOfThen(row)
      const taken = receipt[stage] % takings
      if (taken !== THEN) {
        free.steps.give(freeRow, free.params, now, cost, rowOfFree(receipt), takenAt)
      }
      if (taken !== FREE && startsIn(receipt) === startsIn(row)) {
        then.steps.give(thenRow, then.params, now, cost, rowOfThen(receipt), takenAt)
      }
      write(row, freeRow, thenRow)
    },

    forgive(row, _params, now, units) {
      const freeRow = rowOfFree(row)
      const thenRow = rowOfThen(row)
      free.steps.forgive(freeRow, free.params, now, units)
      then.steps.forgive(thenRow, then.params, now, units)
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
    bornDenied: () =>
      (free.steps.bornDenied?.(free.params) ?? false) ||
      (then.steps.bornDenied?.(then.params) ?? false),

    full: (row) => Math.max(fullAt(free, rowOfFree(row)), fullAt(then, rowOfThen(row))),

    next: (row, _params, now, remaining) =>
      Math.min(
        waitToRemain(free, rowOfFree(row), now, remaining),
        waitToRemain(then, rowOfThen(row), now, remaining),
      ),

    delay(row, _params, now, cost, taken) {
      const isFree = taken
        ? row[stage] % takings !== THEN
        : free.steps.wait(rowOfFree(row), free.params, now, cost) === 0
      if (isFree) return 0
      return then.steps.delay?.(rowOfThen(row), then.params, now, cost, taken) ?? 0
    },
  }
  return steps
}

function forget({ steps, params }: Stage, row: Row, now: number): void {
  if (steps.forget === undefined) row.fill(0)
  else steps.forget(row, params, now)
}

function part(row: Row, momentsAt: number, moments: number, countsAt: number, counts: number): Row {
  return [...row.slice(momentsAt, momentsAt + moments), ...row.slice(countsAt, countsAt + counts)]
}

function argsOf({ steps, params }: Stage, { moments, counts }: Cells, now: number): number[] {
  const args = steps.args(params, now)
  return [moments, counts, args.length, ...args]
}

/** Ids from 1 to 6 are those of rows of one width; 7 stands for the sliding window in buckets. */
function shortId({ steps }: Stage): number {
  return Math.min(steps.id, 7)
}
