import { usualReading, type RowAlgorithm, type Row } from './algorithm.js'
import type { PlainLua } from './plain-lua.js'

// row: [a time in the window: that of its first allowed request, the units taken in the window]
const SINCE = 0
const USED = 1

/** The steps of a counter that restarts when its window ends. `closing` returns the end of the window that contains a time. */
export function windowSteps<P extends { readonly limit: number }>(
  closing: (since: number, params: P) => number,
): Omit<RowAlgorithm<P>, 'id' | 'args' | 'windowMs' | 'followsWall'> {
  function ends(row: Row, params: P): number {
    return row[USED] === 0 ? 0 : closing(row[SINCE], params)
  }

  function wait(row: Row, params: P, now: number, cost: number): number {
    if (cost > params.limit || params.limit === 0) return Infinity
    return row[USED] + cost <= params.limit ? 0 : closing(row[SINCE], params) - now
  }

  return {
    ...usualReading,
    cells: () => ({ times: 1, counts: 1 }),

    look(row, params, now, cost) {
      if (row[USED] === 0 || now >= closing(row[SINCE], params)) {
        row[SINCE] = now
        row[USED] = 0
      }
      return params.limit > 0 && row[USED] + cost <= params.limit
    },

    take(row, _params, _now, cost) {
      row[USED] += cost
    },

    // If the window was emptied and has restarted, its first request has another time, even in the same window of the clock.
    refundReceipt(row, _params, _now, cost, receipt) {
      if (row[SINCE] === receipt[SINCE]) row[USED] -= Math.min(cost, row[USED])
    },

    refundUnits(row, _params, _now, units) {
      row[USED] -= Math.min(units, row[USED])
    },

    ends,
    full: ends,
    wait,
    next: wait,
    used: (row) => row[USED],
    quota: (params) => params.limit,

    settle(decided, cost) {
      const { row, params, now } = decided
      row[USED] += cost
      const end = ends(row, params)
      decided.used = row[USED]
      decided.next = end - now
      decided.full = end
      decided.ends = end
    },
  }
}

/** The same in Lua. `closing` is an expression: the end of the window that contains the time row[1]. The first of the params is the limit. */
export function windowLua(closing: string): PlainLua {
  return {
    // row: 1 a time in the window: that of its first allowed request, 2 the units taken in the window
    look: `
    if row[2] == 0 or now >= ${closing} then
      row[1], row[2] = now, 0
    end
    fits = params[1] > 0 and row[2] + cost <= params[1]`,

    take: `row[2] = row[2] + cost`,

    ends: `ended = row[2] == 0 and 0 or ${closing}`,

    others: `
  function steps.refundReceipt(row, params, now, cost, receipt)
    if row[1] == receipt[1] then row[2] = row[2] - math.min(cost, row[2]) end
  end

  function steps.refundUnits(row, params, now, units)
    row[2] = row[2] - math.min(units, row[2])
  end
`,
  }
}
