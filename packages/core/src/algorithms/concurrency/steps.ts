import type { Policy } from '../../policy.js'
import {
  stepsOverRecords,
  type Algorithm,
  type BoundSteps,
  type Lease,
  type Row,
} from '../algorithm.js'
import { ByteWriter, readBytes, type ByteReader } from '../bytes.js'
import {
  clear,
  empty,
  endNewest,
  finish,
  freeAt,
  grant,
  grantOf,
  holderOf,
  lastEnd,
  live,
  move,
  newLeases,
  ranksPerMs,
  type Grant,
  type Leases,
  type Ranked,
  type RankedList,
} from './leases.js'

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
    create: newLeases,
    pack: packLeases,
    unpack: (bytes, row) => unpackLeases(bytes, row[HELD]),
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
      row[HELD] = row[TOKEN] === 0 ? 0 : live(leases, row[HELD], row[LAST_AT])
      const asks = row[HELD] > 0 && cost > 0
      const holder =
        asks && requested !== undefined ? holderOf(leases, requested, row[LAST_AT]) : undefined
      const own = holder?.units ?? 0
      const excess = row[HELD] - own + cost - limit
      const fits = limit > 0 && (excess <= 0 || (own > 0 && own >= cost))
      row[FITS_AT] = 0
      if (!fits && (limit === 0 || cost > limit)) row[FITS_AT] = noTime
      else if (!fits) row[FITS_AT] = freeAt(leases, excess, row[LAST_AT], holder)
      foresee(row, params)
      return fits
    },

    take(row, params, _now, cost) {
      clearEnded(row)
      if (cost > 0) {
        const rank = nextRank(row, params)
        row[HELD] += grant(leases, lease, cost, rank, row[LAST_AT])
      }
      requested = undefined
      foresee(row, params)
    },

    // A receipt names its lease. Without one, the newest leases end; at a reset all of them.
    refund(row, params, _now, units, receipt) {
      if (receipt === undefined && units >= row[HELD]) row[HELD] = 0
      clearEnded(row)
      const granted = receipt === undefined ? undefined : activeGrant(row)
      if (granted !== undefined) row[HELD] -= finish(leases, granted, row[LAST_AT])
      else if (receipt === undefined) row[HELD] -= endNewest(leases, units)
      foresee(row, params)
    },

    release(row, params, now) {
      if (activeGrant(row) === undefined) return false
      steps.refund(row, params, now, 0, row)
      return true
    },

    renew(row, params) {
      const granted = activeGrant(row)
      if (granted === undefined) return false
      clearEnded(row)
      move(leases, granted, nextRank(row, params))
      foresee(row, params)
      return true
    },
  }

  /** The grant of this lease. A row without units says that the leases are void. */
  function activeGrant(row: Row): Grant | undefined {
    return row[HELD] === 0 ? undefined : grantOf(leases, lease.id, row[LAST_AT])
  }

  /** Removes from the leases what `look` has removed from the row. */
  function clearEnded(row: Row): void {
    if (row[HELD] === 0) empty(leases)
    else clear(leases, row[LAST_AT])
  }

  /** Computes the times that only the decision needs. */
  function foresee(row: Row, { limit }: ConcurrencyPolicy): void {
    const more = Math.max(1, row[HELD] - limit + 1)
    row[NEXT_AT] =
      row[HELD] === 0 || limit === 0 ? 0 : freeAt(leases, more, row[LAST_AT], undefined)
    row[FULL_AT] = row[HELD] === 0 ? 0 : lastEnd(leases)
  }

  return steps
}

function nextRank(row: Row, { lease }: ConcurrencyPolicy): number {
  const { [LAST_AT]: now } = row
  row[TOKEN] = Math.max(row[TOKEN] + 1, now * ranksPerMs)
  return (now + lease) * ranksPerMs + Math.min(row[TOKEN] - now * ranksPerMs, ranksPerMs - 1)
}

/** The leases of a key as bytes: for each holder in its order the owner, the units, and the id and the rank of each grant. */
function packLeases(leases: Leases): Uint8Array {
  const writer = new ByteWriter()
  const holders = itemsOf(leases)
  writer.number(holders.length)
  for (const { owner, units, grants } of holders) {
    const granted = itemsOf(grants)
    // An owner can be any text, so its presence is a number of its own.
    writer.number(owner === undefined ? 0 : 1)
    if (owner !== undefined) writer.text(owner)
    writer.number(units)
    writer.number(granted.length)
    for (const { id, rank } of granted) {
      writer.text(id)
      writer.number(rank)
    }
  }
  return writer.written
}

/** The leases of these bytes. Undefined if they are damaged, or do not hold these units in all. */
function unpackLeases(bytes: Uint8Array, held: number): Leases | undefined {
  return readBytes(bytes, (reader) => {
    const leases = newLeases()
    let units = 0
    for (let left = reader.number(); left > 0; left--) units += readHolder(reader, leases)
    return units === held ? leases : undefined
  })
}

/** Reads a holder, and returns its units. */
function readHolder(reader: ByteReader, leases: Leases): number {
  const owner = reader.number() === 0 ? undefined : reader.text()
  const units = reader.number()
  let held = 0
  for (let left = reader.number(); left > 0; left--) {
    const id = reader.text()
    held += grant(leases, { id, owner: owner ?? id }, units, reader.number(), 0)
  }
  return held
}

function itemsOf<T extends Ranked<T>>({ first }: RankedList<T>): readonly T[] {
  const items: T[] = []
  for (let item = first; item !== undefined; item = item.after) items.push(item)
  return items
}
