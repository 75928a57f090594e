import type { BodiedSteps, Lease, Row } from '../../algorithms/algorithm.js'
import { blockForgotten, UNTIL } from '../block.js'
import type { BoundPolicy } from '../store.js'
import { newKeyHash } from './key-hash.js'
import { nextReset, resetsIn } from './reset.js'
import { BoundedTables } from './bounded-tables.js'
import type { Segment } from './segment.js'
import { createPartitions, type Partition } from './partitions.js'
import type { Table } from './table.js'

/** The state of one entry while its request runs; then it is the answer. */
export interface LoadedState {
  row: Row
  blockedUntil: number
  readonly now: number
  resets?: number
}

/**
 * One entry of the request that runs, and where its state is kept. A store that answers at once never runs two requests at once, so there is
 * one of these for each entry and not one for each decision.
 */
export interface Cursor {
  readonly entry: BoundPolicy
  readonly followsWall: boolean
  readonly isBodied: boolean
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

/** Once in so many requests, a segment is swept: its rows together cost each of them a few nanoseconds. */
const requestsPerSweep = 64

const noBlock: Row = [0, 0]
const noReset: Row = [0, 0]

const nobody: Lease = { id: '', owner: '' }

/** Loads and keeps the states of one request after another. */
export class StateTable {
  readonly tables: BoundedTables
  readonly #keyHash = newKeyHash()
  readonly #partitionOf: (entry: BoundPolicy) => Partition
  readonly #known = new WeakMap<BoundPolicy, Cursor>()
  // Most requests are about the same entries as the one before.
  #lastEntries: readonly BoundPolicy[] = []
  #lastCursors: readonly Cursor[] = []
  #moment = 0
  #requests = 0
  /** No reset is later. */
  #lastReset = -1

  constructor(maxKeys: number) {
    this.tables = new BoundedTables(maxKeys)
    this.#partitionOf = createPartitions(this.tables)
  }

  /**
   * Begins a request at this moment of the one clock by which rows are kept: an entry that goes by another, because it follows the wall, is
   * kept for as long as it lasts from now on, so that no sweep takes one clock's moments for the other's.
   */
  begin(moment: number): void {
    this.#moment = moment
  }

  /** Clears away, now and then, what ended before that moment. */
  sweepSome(): void {
    if (this.#requests++ % requestsPerSweep === 0) this.tables.sweepSome(this.#moment)
  }

  cursorsOf(entries: readonly BoundPolicy[]): readonly Cursor[] {
    if (entries !== this.#lastEntries) {
      this.#lastEntries = entries
      this.#lastCursors = entries.map((entry) => this.#cursorOf(entry))
    }
    return this.#lastCursors
  }

  /** Whose states are loaded from now on. */
  seekKey(key: string): void {
    this.#keyHash.hash(key)
  }

  /** Finds and reads the state that the key has at `now`. */
  load(cursor: Cursor, now: number, lease: Lease): LoadedState {
    const { entry, partition, views } = cursor
    cursor.keyHigh = this.#keyHash.high
    cursor.keyLow = this.#keyHash.low
    locate(cursor)
    const { segment, place } = cursor
    if (cursor.isBodied && entry.steps.bodied === true) {
      cursor.body = segment.bodyOf(place) ?? entry.steps.newBody(entry.params)
      cursor.steps = entry.steps.bind(cursor.body, lease)
    }
    const row = place === -1 ? partition.table.blank(views) : segment.read(place, views)
    const state: LoadedState = { row, blockedUntil: this.loadBlock(cursor)[UNTIL], now }
    if (now <= this.#lastReset) {
      const resets = resetsIn(this.loadReset(cursor), now)
      if (resets > 0) state.resets = resets
    }
    return state
  }

  /** Whether there is a row that has not ended. */
  isKept(cursor: Cursor): boolean {
    relocate(cursor)
    return cursor.place !== -1 && cursor.segment.endOf(cursor.place) > this.#moment
  }

  /** Keeps a row until it ends; forgets it where it has. */
  save(cursor: Cursor, { row, now }: LoadedState): void {
    const { steps, params } = cursor.entry
    const { table, high, low } = cursor.partition
    const spent = steps.used(row, params, now) >= steps.quota(params)
    const lasts = steps.ends(row, params) - now
    const ends = this.#moment + lasts
    forgetOtherShapes(cursor)
    relocate(cursor)
    if (lasts <= 0) {
      if (cursor.place !== -1) table.remove(cursor.segment, cursor.place)
    } else if (cursor.place !== -1) {
      table.write(cursor.segment, cursor.place, row, ends, spent, cursor.body)
    } else {
      this.tables.evictIfFull(table, cursor.keyHigh ^ high, this.#moment)
      table.add(cursor.keyHigh ^ high, cursor.keyLow ^ low, row, ends, spent, cursor.body)
    }
  }

  forget(cursor: Cursor): void {
    const { partition, keyHigh, keyLow } = cursor
    forgetOtherShapes(cursor)
    remove(partition.table, keyHigh ^ partition.high, keyLow ^ partition.low)
  }

  loadBlock({ partition, keyHigh, keyLow }: Cursor): Row {
    const { blocks } = this.tables
    if (blocks.size === 0) return noBlock
    return read(blocks, keyHigh ^ partition.blockHigh, keyLow ^ partition.blockLow) ?? noBlock
  }

  saveBlock(cursor: Cursor, block: Row, now: number): void {
    const { partition, keyHigh, keyLow } = cursor
    const { blocks } = this.tables
    this.forgetBlock(cursor)
    const lasts = blockForgotten(block) - now
    if (lasts <= 0) return
    this.tables.evictIfFull(blocks, keyHigh ^ partition.blockHigh, this.#moment)
    const ends = this.#moment + lasts
    blocks.add(
      keyHigh ^ partition.blockHigh,
      keyLow ^ partition.blockLow,
      block,
      ends,
      true,
      undefined,
    )
  }

  forgetBlock({ partition, keyHigh, keyLow }: Cursor): void {
    remove(this.tables.blocks, keyHigh ^ partition.blockHigh, keyLow ^ partition.blockLow)
  }

  loadReset({ partition, keyHigh, keyLow }: Cursor): Row {
    const { resets } = this.tables
    if (resets.size === 0) return noReset
    return read(resets, keyHigh ^ partition.resetHigh, keyLow ^ partition.resetLow) ?? noReset
  }

  /** Records a reset at `now` of a row that would have ended at `ends`, and keeps the record until then. */
  saveReset(cursor: Cursor, now: number, ends: number): void {
    const { resets } = this.tables
    if (ends <= now) return
    const high = cursor.keyHigh ^ cursor.partition.resetHigh
    const low = cursor.keyLow ^ cursor.partition.resetLow
    const row = nextReset(this.loadReset(cursor), now)
    const segment = resets.segmentOf(high)
    const place = segment.find(high, low)
    const keptUntil = this.#moment + (ends - now)
    if (place === -1) {
      this.tables.evictIfFull(resets, high, this.#moment)
      resets.add(high, low, row, keptUntil, false, undefined)
    } else {
      const longer = Math.max(segment.endOf(place), keptUntil)
      resets.write(segment, place, row, longer, false, undefined)
    }
    this.#lastReset = Math.max(this.#lastReset, row[0])
  }

  #cursorOf(entry: BoundPolicy): Cursor {
    let cursor = this.#known.get(entry)
    if (cursor === undefined) {
      cursor = newCursor(entry, this.#partitionOf(entry))
      this.#known.set(entry, cursor)
    }
    return cursor
  }
}

function locate(cursor: Cursor): void {
  const { table, high, low } = cursor.partition
  cursor.segment = table.segmentOf(cursor.keyHigh ^ high)
  cursor.place = cursor.segment.find(cursor.keyHigh ^ high, cursor.keyLow ^ low)
  cursor.moves = table.moves
}

/** What was written since may have moved the row. */
function relocate(cursor: Cursor): void {
  if (cursor.moves !== cursor.partition.table.moves) locate(cursor)
}

function read(table: Table, high: number, low: number): Row | undefined {
  const segment = table.segmentOf(high)
  const place = segment.find(high, low)
  return place === -1 ? undefined : segment.read(place, 0)
}

function remove(table: Table, high: number, low: number): void {
  const segment = table.segmentOf(high)
  const place = segment.find(high, low)
  if (place !== -1) table.remove(segment, place)
}

/** Forgets what other algorithms have counted under the same name. */
function forgetOtherShapes({ partition, keyHigh, keyLow }: Cursor): void {
  if (partition.otherShapes.size === 1) return
  for (const shape of partition.otherShapes.values()) {
    if (shape !== partition) remove(shape.table, keyHigh ^ shape.high, keyLow ^ shape.low)
  }
}

function newCursor(entry: BoundPolicy, partition: Partition): Cursor {
  const { steps, params } = entry
  return {
    entry,
    followsWall: steps.followsWall(params),
    isBodied: steps.bodied === true,
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
