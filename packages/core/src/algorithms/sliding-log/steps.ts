import type { Policy } from '../../policy.js'
import { stepsOverRecords, type Algorithm, type BoundSteps, type Row } from '../algorithm.js'
import { Log, totals } from './log.js'

/** A policy of `slidingLog`. */
export interface SlidingLogPolicy extends Policy {
  readonly kind: 'slidingLog'
  readonly limit: number
  readonly window: number
}

// row: [the time of the newest record; the units that count, the running total before the oldest record, the position of that record,
//       the number of records; when the cost fits, when more units remain]
// All units of one millisecond are one record. No record is empty.
const LAST_AT = 0
const USED = 1
const BASE = 2
const FIRST = 3
const COUNT = 4
const FITS_AT = 5
const NEXT_AT = 6

export const slidingLogSteps: Algorithm<SlidingLogPolicy, Log> = {
  ...stepsOverRecords,
  id: 7,
  size: () => ({ times: 1, counts: 4, extras: 2 }),
  args: ({ limit, window }) => [limit, window],
  records: {
    keys: [1],
    create: () => new Log(),
    pack: (log) => log.pack(),
    unpack: (bytes, row) => Log.unpack(bytes, row[FIRST], row[COUNT], row[LAST_AT]),
    bind: stepsOver,
  },

  ends,
  used: (row) => row[USED],
  quota: ({ limit }) => limit,
  windowMs: ({ window }) => window,

  read(row, params, now, cost, isTaken) {
    const { limit } = params
    let wait = 0
    if (!isTaken && (cost > limit || limit === 0)) wait = Infinity
    else if (!isTaken && cost > limit - row[USED]) wait = row[FITS_AT] - now
    return { used: row[USED], wait, next: row[NEXT_AT] - now, full: ends(row, params), delay: 0 }
  },
}

function ends(row: Row, { window }: SlidingLogPolicy): number {
  return row[USED] === 0 ? 0 : row[LAST_AT] + window
}

function stepsOver(log: Log): BoundSteps<SlidingLogPolicy> {
  /** The units up to the record at a position, including it. */
  function unitsUpTo(row: Row, position: number): number {
    return (log.totalAt(position) - row[BASE]) >>> 0
  }

  /** Writes the newest record, so that the log has `units` in total. */
  function putNewest(row: Row, units: number): void {
    log.put(row[FIRST] + row[COUNT] - 1, row[LAST_AT], (row[BASE] + units) >>> 0)
  }

  /** The first record after whose expiry at least `units` have expired. */
  function reaching(row: Row, units: number): number {
    const before = row[FIRST] - 1
    const newest = before + row[COUNT]
    const valueAt = (position: number): number => unitsUpTo(row, position)
    return firstAbove(units - 1, before, 0, newest, row[USED], valueAt)
  }

  function expire(row: Row, { window }: SlidingLogPolicy, now: number): void {
    if (row[COUNT] === 0) return
    if (now >= row[LAST_AT] + window) {
      row.fill(0)
      return
    }
    const gone = Math.max(now, row[LAST_AT]) - window
    const oldest = log.timeAt(row[FIRST])
    if (oldest > gone) return
    const newest = row[FIRST] + row[COUNT] - 1
    const valueAt = (position: number): number => log.timeAt(position)
    const first = firstAbove(gone, row[FIRST], oldest, newest, row[LAST_AT], valueAt)
    row[USED] -= unitsUpTo(row, first - 1)
    row[BASE] = log.totalAt(first - 1)
    row[COUNT] -= first - row[FIRST]
    row[FIRST] = first
  }

  function foresee(row: Row, { limit, window }: SlidingLogPolicy, cost: number): void {
    const over = cost - (limit - row[USED])
    const more = Math.max(1, row[USED] - limit + 1)
    const fits = over <= 0 || cost > limit
    row[FITS_AT] = fits ? 0 : log.timeAt(reaching(row, over)) + window
    row[NEXT_AT] = row[USED] < more ? 0 : log.timeAt(reaching(row, more)) + window
  }

  /** Removes the records that `look` has found expired. It is called only when the log changes anyway. */
  function trim(row: Row): void {
    if (row[COUNT] === 0) log.clear()
    else log.drop(row[FIRST])
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
        if (row[COUNT] === 0 || now > row[LAST_AT]) {
          row[LAST_AT] = now
          row[COUNT] += 1
        }
        row[USED] += units
        putNewest(row, row[USED])
      }
      foresee(row, params, 0)
    },

    // The newest units, because in the middle the totals of all later records would change. Those of a receipt may have expired.
    refund(row, params, _now, units, taken) {
      trim(row)
      const left = row[USED] - Math.min(units, row[USED])
      const isOver =
        taken !== undefined && row[COUNT] > 0 && log.timeAt(row[FIRST]) > taken.row[LAST_AT]
      if (left === 0 && !isOver) row.fill(0)
      else if (left < row[USED] && !isOver) {
        const newest = reaching(row, left)
        row[LAST_AT] = log.timeAt(newest)
        row[USED] = left
        row[COUNT] = newest - row[FIRST] + 1
        putNewest(row, left)
        log.cut(newest)
      }
      foresee(row, params, 0)
    },
  }
}

/**
 * The first position whose value is greater than `most`. Values never decrease from one position to the next. The value at `low` is `lowest`,
 * which is not greater than `most`; the value at `high` is `highest`, which is greater. It guesses by proportion, so regular traffic needs a
 * few probes for any length of the log. Every third probe halves the range, so irregular traffic needs at most a few times its logarithm.
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
