import type { BodiedSteps, Lease } from '../../algorithms/algorithm.js'
import type { BoundPolicy } from '../store.js'
import type { Partition } from './partitions.js'
import type { Segment } from './segment.js'

/**
 * One entry of the request that runs, and where its state is kept. A store that answers at once never runs two requests at once, so there is
 * one of these for each entry and not one for each decision.
 */
export interface Cursor {
  readonly entry: BoundPolicy
  readonly followsWall: boolean
  /** Over the body of the key, if it has one. */
  steps: BodiedSteps
  body: unknown

  readonly partition: Partition
  readonly views: number
  keyHigh: number
  keyLow: number
  /** Where the row is, until the table moves it. */
  segment: Segment
  place: number
  moves: number
}

const nobody: Lease = { id: '', owner: '' }

export function newCursor(entry: BoundPolicy, partition: Partition): Cursor {
  const { steps, params } = entry
  return {
    entry,
    followsWall: steps.followsWall(params),
    steps: steps.bodied === true ? steps.bind(steps.newBody(params), nobody) : steps,
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

/** Finds the row of the key that the cursor is at. */
export function locate(cursor: Cursor): void {
  const { table, high, low } = cursor.partition
  cursor.segment = table.segmentOf(cursor.keyHigh ^ high)
  cursor.place = cursor.segment.find(cursor.keyHigh ^ high, cursor.keyLow ^ low)
  cursor.moves = table.moves
}

/** Finds the row again if something that was written since may have moved it. */
export function relocate(cursor: Cursor): void {
  if (cursor.moves !== cursor.partition.table.moves) locate(cursor)
}
