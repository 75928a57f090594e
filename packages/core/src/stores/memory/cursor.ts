import type { BodiedSteps, Lease } from '../../algorithms/algorithm.js'
import type { BoundPolicy } from '../store.js'
import type { Partition } from './partitions.js'
import type { Segment } from './segment.js'

/**
 * One entry of the current request, and the position of its row. A synchronous store runs one request at a time, so there is one cursor for each
 * entry and not one for each decision.
 */
export interface Cursor {
  readonly entry: BoundPolicy
  readonly followsWall: boolean
  /** The steps of the entry, bound to the body of the key if the algorithm has bodies. */
  steps: BodiedSteps
  body: unknown

  readonly partition: Partition
  readonly views: number
  keyHigh: number
  keyLow: number
  /** The segment of the row, and its place there: -1 if there is no row. Both are valid until the table moves rows. */
  segment: Segment
  place: number
  /** The table's count of moves when the row was located. */
  moves: number
}

const noLease: Lease = { id: '', owner: '' }

export function newCursor(entry: BoundPolicy, partition: Partition): Cursor {
  const { steps, params } = entry
  return {
    entry,
    followsWall: steps.followsWall(params),
    steps: steps.bodied === true ? steps.bind(steps.newBody(params), noLease) : steps,
    body: undefined,
    partition,
    views: steps.cells(params).views ?? 0,
    keyHigh: 0,
    keyLow: 0,
    segment: partition.table.segmentOf(0),
    place: -1,
    moves: 0,
  }
}

/** Finds the row of the cursor's key. */
export function locate(cursor: Cursor): void {
  const { table, high, low } = cursor.partition
  cursor.segment = table.segmentOf(cursor.keyHigh ^ high)
  cursor.place = cursor.segment.find(cursor.keyHigh ^ high, cursor.keyLow ^ low)
  cursor.moves = table.moves
}

/** Finds the row again if the table may have moved it since. */
export function relocate(cursor: Cursor): void {
  if (cursor.moves !== cursor.partition.table.moves) locate(cursor)
}
