import type { BodiedAlgorithm, BodiedSteps, Row } from '../algorithm.js'
import { Log, totals } from './log.js'
import { slidingLogLua } from './script.js'

export type SlidingLogParams = {
  readonly limit: number
  readonly window: number
}

// row: [the moment of the newest record; the units that count, the running total before the oldest record, that record's position,
//       how many records there are; when the asked cost fits, when more remains]
// All that is taken in one millisecond is one record. The newest is never empty; one before it is when it was given back.
const LAST = 0
const USED = 1
const BASE = 2
const FIRST = 3
const COUNT = 4
const FITS = 5
const MORE = 6

export const slidingLogSteps: BodiedAlgorithm<SlidingLogParams, Log> = {
  id: 7,
  cells: () => ({ moments: 1, counts: 4, views: 2 }),
  args: ({ limit, window }) => [limit, window],
  lua: slidingLogLua,
  bodies: 1,
  newBody: () => new Log(),
  over: stepsOver,

  ends: (row, { window }) => (row[USED] === 0 ? 0 : row[LAST] + window),

  wait(row, { limit }, now, cost) {
    if (cost > limit || limit === 0) return Infinity
    return cost <= limit - row[USED] ? 0 : row[FITS] - now
  },

  used: (row) => row[USED],
  quota: ({ limit }) => limit,
  windowMs: ({ window }) => window,
  followsWall: () => false,
  next: (row, _params, now) => row[MORE] - now,
}

function stepsOver(log: Log): BodiedSteps<SlidingLogParams> {
  /** The units up to and with the record at a position. */
  function unitsUpTo(row: Row, position: number): number {
    return wrap(log.totalAt(position) - row[BASE])
  }

  /** The first record with which so many units have left. */
  function reaching(row: Row, units: number): number {
    const before = row[FIRST] - 1
    const newest = before + row[COUNT]
    const valueAt = (position: number): number => unitsUpTo(row, position)
    return firstAbove(units - 1, before, 0, newest, row[USED], valueAt)
  }

  function expire(row: Row, { window }: SlidingLogParams, now: number): void {
    if (row[COUNT] === 0) return
    if (now >= row[LAST] + window) {
      row.fill(0)
      return
    }
    const gone = Math.max(now, row[LAST]) - window
    const oldest = log.timeAt(row[FIRST])
    if (oldest > gone) return
    const newest = row[FIRST] + row[COUNT] - 1
    const valueAt = (position: number): number => log.timeAt(position)
    const first = firstAbove(gone, row[FIRST], oldest, newest, row[LAST], valueAt)
    row[USED] -= unitsUpTo(row, first - 1)
    row[BASE] = log.totalAt(first - 1)
    row[COUNT] -= first - row[FIRST]
    row[FIRST] = first
  }

  function foresee(row: Row, { limit, window }: SlidingLogParams, cost: number): void {
    const over = cost - (limit - row[USED])
    const more = Math.max(1, row[USED] - limit + 1)
    const fits = over <= 0 || cost > limit
    row[FITS] = fits ? 0 : log.timeAt(reaching(row, over)) + window
    row[MORE] = row[USED] < more ? 0 : log.timeAt(reaching(row, more)) + window
  }

  /** What `look` has found expired goes, where the body changes anyway. */
  function trim(row: Row): void {
    if (row[COUNT] === 0) log.clear()
    else log.drop(row[FIRST])
  }

  /** The record of a moment, if there is one. */
  function recordOf(row: Row, moment: number): number | undefined {
    if (row[COUNT] === 0 || moment > row[LAST]) return undefined
    const oldest = log.timeAt(row[FIRST])
    const newest = row[FIRST] + row[COUNT] - 1
    const valueAt = (position: number): number => log.timeAt(position)
    const at =
      oldest >= moment
        ? row[FIRST]
        : firstAbove(moment - 1, row[FIRST], oldest, newest, row[LAST], valueAt)
    return log.timeAt(at) === moment ? at : undefined
  }

  /** Leaves the oldest so many units, and no record after them. */
  function keep(row: Row, units: number): void {
    if (units === 0) {
      row.fill(0)
      return
    }
    const newest = reaching(row, units)
    row[LAST] = log.timeAt(newest)
    row[USED] = units
    row[COUNT] = newest - row[FIRST] + 1
    log.put(newest, row[LAST], wrap(row[BASE] + units))
    log.cut(newest)
  }

  return {
    look(row, params, now, cost) {
      expire(row, params, now)
      foresee(row, params, cost)
      return params.limit > 0 && cost <= params.limit - row[USED]
    },

    take(row, params, now, cost) {
      const units = Math.min(cost, totals - 1 - row[USED])
      trim(row)
      if (units > 0) {
        if (row[COUNT] === 0 || now > row[LAST]) {
          row[LAST] = now
          row[COUNT] += 1
        }
        row[USED] += units
        log.put(row[FIRST] + row[COUNT] - 1, row[LAST], wrap(row[BASE] + row[USED]))
      }
      foresee(row, params, 0)
    },

    give(row, params, _now, cost, receipt) {
      trim(row)
      const at = recordOf(row, receipt[LAST])
      if (at !== undefined) {
        const held = unitsUpTo(row, at) - (at > row[FIRST] ? unitsUpTo(row, at - 1) : 0)
        const units = Math.min(cost, held)
        for (let i = at; i < row[FIRST] + row[COUNT]; i++) {
          log.put(i, log.timeAt(i), wrap(log.totalAt(i) - units))
        }
        row[USED] -= units
        keep(row, row[USED])
      }
      foresee(row, params, 0)
    },

    forgive(row, params, _now, units) {
      trim(row)
      keep(row, row[USED] - Math.min(units, row[USED]))
      foresee(row, params, 0)
    },
  }
}

function wrap(total: number): number {
  return total >>> 0
}

/**
 * The first position whose value is above `most`, where values never fall from one position to the next: that at `low`, which is not
 * above it, is `lowest`, and that at `high`, which is, is `highest`. It guesses by proportion, so even traffic costs a few
 * probes however long the log; every third probe halves what is left, so uneven traffic costs no more than a few times its logarithm.
 */
function firstAbove(
  most: number,
  low: number,
  lowest: number,
  high: number,
  highest: number,
  valueAt: (position: number) => number,
): number {
  for (let probe = 1; high - low > 1; probe++) {
    const share = probe % 3 === 0 ? 0.5 : (most - lowest) / (highest - lowest)
    const guess = low + Math.ceil((high - low) * share)
    const position = Math.min(Math.max(guess, low + 1), high - 1)
    const value = valueAt(position)
    if (value > most) {
      high = position
      highest = value
    } else {
      low = position
      lowest = value
    }
  }
  return high
}
