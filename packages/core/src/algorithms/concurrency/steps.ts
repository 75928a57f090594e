import type { Policy } from '../../policy.js'
import {
  stepsOverRecords,
  type Algorithm,
  type BoundSteps,
  type Lease,
  type Row,
} from '../algorithm.js'
import { Leases, ranksPerMs, type Grant } from './leases.js'

/** A policy of `concurrency`. */
export interface ConcurrencyPolicy extends Policy {
  readonly kind: 'concurrency'
  readonly limit: number
  readonly lease: number
}

// row: [the latest time of a change: the clock never counts as earlier; the units held;
//       the number of the last grant or renewal, which is its token, 0 if there was none;
//       only for the decision: when the cost fits, 0 if it fits now; when more units remain; when the last lease ends]
const LAST_AT = 0
const HELD = 1
const TOKEN = 2
const FITS_AT = 3
const NEXT_AT = 4
const FULL_AT = 5

/** Later than all times. It is not greater, because clients round numbers in replies from about 2^53. */
const noTime = 2 ** 52

/** How long the last token is kept after all leases have ended. */
const rememberedMs = 60_000

export const concurrencySteps: Algorithm<ConcurrencyPolicy, Leases> = {
  ...stepsOverRecords,
  id: 8,
  size: () => ({ times: 1, counts: 2, extras: 3 }),
  args: ({ limit, lease }) => [limit, lease, rememberedMs],
  records: {
    keys: [2, 3, 4],
    create: () => new Leases(),
    pack: (leases) => leases.pack(),
    unpack: (bytes, row) => Leases.unpack(bytes, row[HELD]),
    bind,
  },

  // The token is kept until the clock alone makes the next one greater, even if the clock is set back by a minute.
  ends(row) {
    if (row[TOKEN] === 0) return 0
    return Math.max(row[FULL_AT], Math.floor(row[TOKEN] / ranksPerMs) + 1) + rememberedMs
  },

  used: (row) => row[HELD],
  quota: (params) => params.limit,
  windowMs: (params) => params.lease,
  token: (row) => row[TOKEN],

  read(row, { limit }, now, cost, isTaken) {
    const never = limit === 0 || cost > limit
    let wait = 0
    if (!isTaken && row[FITS_AT] > 0) wait = row[FITS_AT] === noTime ? Infinity : row[FITS_AT] - now
    else if (!isTaken && row[TOKEN] === 0 && never) wait = Infinity
    return { used: row[HELD], wait, next: row[NEXT_AT] - now, full: row[FULL_AT], delay: 0 }
  },
}

function bind(leases: Leases, lease: Lease): BoundSteps<ConcurrencyPolicy> {
  /** The lease that is asked for. After `take` it is undefined, and `look` then returns whether another request would fit. */
  let requested: Lease | undefined = lease

  const steps: BoundSteps<ConcurrencyPolicy> = {
    look(row, params, now, cost) {
      const { limit } = params
      row[LAST_AT] = Math.max(row[LAST_AT], now)
      row[HELD] = row[TOKEN] === 0 ? 0 : leases.live(row[HELD], row[LAST_AT])
      const asking = row[HELD] > 0 && cost > 0 ? requested : undefined
      const holder = asking && leases.holderOf(asking, row[LAST_AT])
      const own = holder?.units ?? 0
      const excess = row[HELD] - own + cost - limit
      const fits = limit > 0 && (excess <= 0 || (own > 0 && own >= cost))
      row[FITS_AT] = 0
      if (!fits && (limit === 0 || cost > limit)) row[FITS_AT] = noTime
      else if (!fits) row[FITS_AT] = leases.freeAt(excess, row[LAST_AT], holder)
      foresee(row, params)
      return fits
    },

    take(row, params, _now, cost) {
      clearEnded(row)
      const units = Math.min(cost, Number.MAX_SAFE_INTEGER - row[HELD])
      if (units > 0) {
        const rank = nextRank(row, params)
        row[HELD] += leases.grant(lease, units, rank, row[LAST_AT])
      }
      requested = undefined
      foresee(row, params)
    },

    // A receipt names its lease. Without one, the newest leases end; at a reset all of them.
    refund(row, params, now, units, taken) {
      if (taken !== undefined) {
        if (steps.release?.(row, params, now) !== true) clearEnded(row)
      } else {
        if (units >= row[HELD]) row[HELD] = 0
        clearEnded(row)
        row[HELD] -= leases.endNewest(units)
      }
      foresee(row, params)
    },

    release: (row, params) =>
      change(row, params, (granted) => (row[HELD] -= leases.finish(granted, row[LAST_AT]))),
    renew: (row, params) =>
      change(row, params, (granted) => leases.move(granted, nextRank(row, params))),
  }

  /** Changes the grant of this lease, if it is active. */
  function change(row: Row, params: ConcurrencyPolicy, act: (granted: Grant) => unknown): boolean {
    const granted = activeGrant(row)
    if (granted === undefined) return false
    clearEnded(row)
    act(granted)
    foresee(row, params)
    return true
  }

  /** The grant of this lease. A row without units says that the leases are void. */
  function activeGrant(row: Row): Grant | undefined {
    return row[HELD] === 0 ? undefined : leases.grantOf(lease.id, row[LAST_AT])
  }

  /** Removes from the leases what `look` has removed from the row. */
  function clearEnded(row: Row): void {
    if (row[HELD] === 0) leases.empty()
    else leases.clear(row[LAST_AT])
  }

  /** Computes the times that only the decision needs. */
  function foresee(row: Row, { limit }: ConcurrencyPolicy): void {
    const more = Math.max(1, row[HELD] - limit + 1)
    row[NEXT_AT] = row[HELD] === 0 || limit === 0 ? 0 : leases.freeAt(more, row[LAST_AT], undefined)
    row[FULL_AT] = row[HELD] === 0 ? 0 : leases.lastEnd()
  }

  return steps
}

function nextRank(row: Row, { lease }: ConcurrencyPolicy): number {
  const { [LAST_AT]: now } = row
  row[TOKEN] = Math.max(row[TOKEN] + 1, now * ranksPerMs)
  return (now + lease) * ranksPerMs + Math.min(row[TOKEN] - now * ranksPerMs, ranksPerMs - 1)
}
