import {
  usualReading,
  type AlgorithmWithRecords,
  type RequestSteps,
  type Row,
} from '../algorithm.js'
import { chunkOf, lastOf } from './corrections.js'
import { Log, totals } from './log.js'

export type SlidingLogParams = {
  readonly limit: number
  readonly window: number
}

// row: [the time of the newest record; the units that count, the running total before the oldest record, the position of that record,
//       the number of records, the chunk after the last one with corrections; when the cost fits, when more units remain]
// All units of one millisecond are one record. The newest record is never empty. An older one is empty if its units were refunded.
const LAST = 0
const USED = 1
const BASE = 2
const FIRST = 3
const COUNT = 4
const CORRECTED = 5
const FITS = 6
const MORE = 7

export const slidingLogSteps: AlgorithmWithRecords<SlidingLogParams, Log> = {
  ...usualReading,
  id: 7,
  cells: () => ({ times: 1, counts: 5, extras: 2 }),
  args: ({ limit, window }) => [limit, window],
  recordKeys: [1],
  hasRecords: true,
  newRecords: () => new Log(),
  packRecords: (log) => log.pack(),
  unpackRecords: (bytes, row) => Log.unpack(bytes, row[FIRST], row[COUNT], row[LAST]),
  bind: stepsOver,

  ends,
  full: ends,

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

function ends(row: Row, { window }: SlidingLogParams): number {
  return row[USED] === 0 ? 0 : row[LAST] + window
}

function stepsOver(log: Log): RequestSteps<SlidingLogParams> {
  /** The units up to the record at a position, including it. */
  function unitsUpTo(row: Row, position: number): number {
    return wrap(log.totalAt(position) - row[BASE] - excess(row, row[FIRST], position))
  }

  /** By how much the total at `to` is too high, compared with the total at the earlier position `from`. */
  function excess(row: Row, from: number, to: number): number {
    return row[CORRECTED] === 0 ? 0 : log.excess(from, to)
  }

  /** Writes the newest record, so that the log has `units` in total. */
  function putNewest(row: Row, units: number): void {
    const newest = row[FIRST] + row[COUNT] - 1
    log.put(newest, row[LAST], wrap(row[BASE] + units + excess(row, row[FIRST], newest)))
  }

  /** The first record after whose expiry at least `units` have expired. */
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
    const last = first - 1
    row[USED] -= unitsUpTo(row, last)
    row[BASE] = wrap(log.totalAt(last) + excess(row, last, first))
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

  /** Removes the records that `look` has found expired. It is called only when the log changes anyway. */
  function trim(row: Row): void {
    if (row[COUNT] === 0) log.clear()
    else log.drop(row[FIRST])
    if (chunkOf(row[FIRST]) >= row[CORRECTED]) row[CORRECTED] = 0
  }

  /** The position of the record with the units of a receipt, if it still exists. */
  function recordOf(row: Row, receipt: Row): number | undefined {
    const at = receipt[FIRST] + receipt[COUNT] - 1
    const isThere = at >= row[FIRST] && at < row[FIRST] + row[COUNT]
    return isThere && log.timeAt(at) === receipt[LAST] ? at : undefined
  }

  /** Removes units from a record. The totals of later records of its chunk are rewritten, and those of later chunks are corrected on reading. */
  function takeOut(row: Row, at: number, units: number): void {
    const newest = row[FIRST] + row[COUNT] - 1
    const chunk = chunkOf(at)
    for (let i = at; i <= Math.min(newest, lastOf(chunk)); i++) {
      log.put(i, log.timeAt(i), wrap(log.totalAt(i) - units))
    }
    if (newest > lastOf(chunk)) {
      log.correct(chunk, units)
      row[CORRECTED] = Math.max(row[CORRECTED], chunk + 1)
    }
    row[USED] -= units
  }

  /** Keeps the oldest `units` and removes all records after them. */
  function keep(row: Row, units: number): void {
    if (units === 0) {
      row.fill(0)
      return
    }
    const newest = reaching(row, units)
    row[LAST] = log.timeAt(newest)
    row[USED] = units
    row[COUNT] = newest - row[FIRST] + 1
    putNewest(row, units)
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
        putNewest(row, row[USED])
      }
      foresee(row, params, 0)
    },

    refundReceipt(row, params, _now, cost, receipt) {
      trim(row)
      const at = recordOf(row, receipt)
      if (at !== undefined) {
        const recorded = unitsUpTo(row, at) - (at > row[FIRST] ? unitsUpTo(row, at - 1) : 0)
        const isNewest = at === row[FIRST] + row[COUNT] - 1
        takeOut(row, at, Math.min(cost, recorded))
        if (isNewest && cost >= recorded) keep(row, row[USED])
      }
      foresee(row, params, 0)
    },

    refundUnits(row, params, _now, units) {
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
