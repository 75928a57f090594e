import type { Algorithm, Row } from './algorithm.js'

// row: [a time in the window: that of its first allowed request, the units taken in the window]
const FIRST_AT = 0
const USED = 1

/** The steps of a counter that restarts when its window ends. `closing` returns the end of the window that contains a time. */
export function windowSteps<P extends { readonly limit: number }>(
  closing: (time: number, params: P) => number,
): Omit<Algorithm<P>, 'id' | 'args' | 'windowMs'> {
  function ends(row: Row, params: P): number {
    return row[USED] === 0 ? 0 : closing(row[FIRST_AT], params)
  }

  return {
    size: () => ({ times: 1, counts: 1 }),

    look(row, params, now, cost) {
      if (row[USED] === 0 || now >= closing(row[FIRST_AT], params)) {
        row[FIRST_AT] = now
        row[USED] = 0
      }
      return params.limit > 0 && row[USED] + cost <= params.limit
    },

    take(row, _params, _now, cost) {
      row[USED] += cost
    },

    // If the window was emptied and has restarted, its first request has another time, even in the same window of the clock.
    refund(row, _params, _now, units, taken) {
      if (taken !== undefined && taken.row[FIRST_AT] !== row[FIRST_AT]) return
      row[USED] -= Math.min(units, row[USED])
    },

    ends,
    used: (row) => row[USED],
    quota: (params) => params.limit,
    ahead: {
      held: (row, params, now, units) => (now < ends(row, params) ? units : 0),
      isReturned: true,
    },

    read(row, params, now, cost, isTaken, target = 1) {
      const used = row[USED]
      const { limit } = params
      const full = ends(row, params)
      let wait = 0
      if (!isTaken && (cost > limit || limit === 0)) wait = Infinity
      else if (!isTaken && used + cost > limit) wait = full - now
      return { used, wait, next: target > limit ? Infinity : full - now, full, delay: 0 }
    },
  }
}
