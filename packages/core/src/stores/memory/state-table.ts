import type { Lease, Row } from '../../algorithms/algorithm.js'
import type { Time } from '../../clock.js'
import { blockForgotten, UNTIL } from '../block.js'
import type { BoundPolicy, StoreRequest } from '../store.js'
import { locate, newCursor, relocate, type Cursor } from './cursor.js'
import { newKeyHash, type KeyHash } from './key-hash.js'
import { nextReset, resetsIn } from './reset.js'
import { BoundedTables } from './bounded-tables.js'
import { Partitions, type Partition } from './partitions.js'
import type { Table } from './table.js'

/** The state of one entry while its request runs, and afterwards in the outcome. */
export interface LoadedState {
  row: Row
  blockedUntil: number
  readonly now: number
  resets?: number
}

/** A row, and the data that a table keeps with it. */
interface KeptRow {
  readonly row: Row
  readonly ends: number
  /** Whether nothing remains of the quota. */
  readonly isSpent: boolean
  readonly body?: unknown
}

/** The states of a request and their cursors, both in the order of its entries. */
export interface Opened {
  readonly cursors: readonly Cursor[]
  readonly states: readonly LoadedState[]
}

/** One request in this many sweeps a segment, which adds a few nanoseconds to the average request. */
const requestsPerSweep = 64

const noBlock: Row = [0, 0]
const noReset: Row = [0, 0]

/** Loads and keeps the states of entries, for one request after another. */
export class StateTable {
  readonly tables: BoundedTables
  readonly #time: Time
  /** The hash of the current key. */
  readonly keyHash: KeyHash = newKeyHash()
  /** The time of the current request. Initialized with a fraction, so that V8 stores it as a double. */
  moment = 0.5
  readonly #partitions: Partitions
  readonly #known = new WeakMap<BoundPolicy, Cursor>()
  // Most requests have the same entries as the request before.
  #lastEntries: readonly BoundPolicy[] = []
  #lastCursors: readonly Cursor[] = []
  #requests = 0
  /** The time of the latest reset. */
  #lastReset = -1

  constructor(maxKeys: number, time: Time) {
    this.tables = new BoundedTables(maxKeys)
    this.#partitions = new Partitions(this.tables)
    this.#time = time
  }

  /** Loads the states of a request. */
  open({ verb, entries, keys, now: injected, lease }: StoreRequest): Opened {
    const cursors = this.cursorsOf(entries)
    this.begin(injected)
    const now = this.moment
    // A peek changes nothing, so it does not sweep expired rows either.
    if (verb !== 'peek') this.sweepSome()
    const timeOf = ({ followsWall }: Cursor): number =>
      followsWall && injected === undefined ? this.#time.wall() : now
    this.keyHash.hash(keys[0])
    // A literal for the first state: V8 reserves memory for seventeen elements when an empty array grows.
    const states = [this.#load(cursors[0], timeOf(cursors[0]), lease)]
    for (let i = 1; i < entries.length; i++) {
      if (keys[i] !== keys[i - 1]) this.keyHash.hash(keys[i])
      states.push(this.#load(cursors[i], timeOf(cursors[i]), lease))
    }
    return { cursors, states }
  }

  /**
   * Begins a request at `moment`. The ends of all rows are times of one clock: the remaining lifetime of an entry that follows the wall clock is added to
   * this time, so that no sweep compares the times of two clocks.
   */
  begin(injected?: number): void {
    // Not returned, because V8 allocates memory for a time that a function returns.
    this.moment = injected ?? this.#time.monotonic()
  }

  /** Removes the expired rows of one segment, in one of many calls. */
  sweepSome(): void {
    if (this.#requests++ % requestsPerSweep === 0) this.tables.sweepSome(this.moment)
  }

  partitionOf(entry: BoundPolicy): Partition {
    return this.#partitions.of(entry)
  }

  cursorsOf(entries: readonly BoundPolicy[]): readonly Cursor[] {
    if (entries !== this.#lastEntries) {
      this.#lastEntries = entries
      this.#lastCursors = entries.map((entry) => this.#cursorOf(entry))
    }
    return this.#lastCursors
  }

  /** Whether any key may have a block or a reset besides its row. */
  hasMarks(): boolean {
    return this.tables.blocks.size > 0 || this.#lastReset !== -1
  }

  /** Whether the key may have a block, or a reset at this time or later, besides its row. */
  isMarked({ nameHigh, nameLow }: Partition, high: number, low: number, now: number): boolean {
    if (now <= this.#lastReset) return true
    const { blocks } = this.tables
    if (blocks.size === 0) return false
    return blocks.segmentOf(high ^ nameHigh).find(high ^ nameHigh, low ^ nameLow) !== -1
  }

  #seek(cursor: Cursor): void {
    cursor.keyHigh = this.keyHash.high
    cursor.keyLow = this.keyHash.low
    locate(cursor)
  }

  /** Finds and reads the state of the key at `now`. */
  #load(cursor: Cursor, now: number, lease: Lease): LoadedState {
    const { entry, partition, views } = cursor
    this.#seek(cursor)
    const { segment, place } = cursor
    if (entry.steps.bodied === true) {
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

  /** Whether there is a row that has not expired. */
  isKept(cursor: Cursor): boolean {
    relocate(cursor)
    return cursor.place !== -1 && cursor.segment.endOf(cursor.place) > this.moment
  }

  /** Keeps a row until it expires. Removes it if it has already expired. */
  save(cursor: Cursor, { row, now }: LoadedState): void {
    const { entry, partition, keyHigh, keyLow, body } = cursor
    const { steps, params } = entry
    const isSpent = steps.used(row, params, now) >= steps.quota(params)
    const ends = this.moment + steps.ends(row, params) - now
    const { table } = partition
    relocate(cursor)
    const { segment, place } = cursor
    if (place === -1 || ends <= this.moment) {
      this.insert(partition, keyHigh, keyLow, { row, ends, isSpent, body })
    } else {
      table.write(segment, place, row, ends, isSpent, body)
    }
  }

  /** Keeps a row that can be new or expired. */
  insert({ table, high, low }: Partition, keyHigh: number, keyLow: number, kept: KeptRow): void {
    this.#put(table, keyHigh ^ high, keyLow ^ low, kept)
  }

  #put(table: Table, high: number, low: number, { row, ends, isSpent, body }: KeptRow): void {
    const segment = table.segmentOf(high)
    const place = segment.find(high, low)
    if (ends <= this.moment) {
      if (place !== -1) table.remove(segment, place)
    } else if (place !== -1) {
      table.write(segment, place, row, ends, isSpent, body)
    } else {
      this.tables.evictIfFull(table, high, this.moment)
      table.add(high, low, row, ends, isSpent, body)
    }
  }

  /** Removes the rows of all forms. */
  forget({ partition: { nameHigh, nameLow }, keyHigh, keyLow }: Cursor): void {
    for (const { table, high, low } of this.#partitions.forms) {
      table.removeKey(keyHigh ^ nameHigh ^ high, keyLow ^ nameLow ^ low)
    }
  }

  loadBlock({ partition, keyHigh, keyLow }: Cursor): Row {
    const { blocks } = this.tables
    if (blocks.size === 0) return noBlock
    return blocks.read(keyHigh ^ partition.nameHigh, keyLow ^ partition.nameLow) ?? noBlock
  }

  saveBlock({ partition, keyHigh, keyLow }: Cursor, block: Row, now: number): void {
    const { nameHigh, nameLow } = partition
    const ends = this.moment + blockForgotten(block) - now
    const kept = { row: block, ends, isSpent: true }
    this.#put(this.tables.blocks, keyHigh ^ nameHigh, keyLow ^ nameLow, kept)
  }

  forgetBlock({ partition, keyHigh, keyLow }: Cursor): void {
    this.tables.blocks.removeKey(keyHigh ^ partition.nameHigh, keyLow ^ partition.nameLow)
  }

  loadReset({ partition, keyHigh, keyLow }: Cursor): Row {
    const { resets } = this.tables
    if (resets.size === 0) return noReset
    return resets.read(keyHigh ^ partition.nameHigh, keyLow ^ partition.nameLow) ?? noReset
  }

  /** Keeps the row of a reset at `now` until the rows of all forms would have expired: that of this entry at `ends`. */
  saveReset(cursor: Cursor, now: number, ends: number): void {
    const { form: own, nameHigh, nameLow } = cursor.partition
    const high = cursor.keyHigh ^ nameHigh
    const low = cursor.keyLow ^ nameLow
    let until = this.moment + (ends - now)
    for (const form of this.#partitions.forms) {
      if (form !== own) until = Math.max(until, form.table.endOf(high ^ form.high, low ^ form.low))
    }
    if (until <= this.moment) return
    const { resets } = this.tables
    const row = nextReset(this.loadReset(cursor), now)
    this.#put(resets, high, low, {
      row,
      ends: Math.max(resets.endOf(high, low), until),
      isSpent: false,
    })
    this.#lastReset = Math.max(this.#lastReset, row[0])
  }

  #cursorOf(entry: BoundPolicy): Cursor {
    let cursor = this.#known.get(entry)
    if (cursor === undefined) {
      cursor = newCursor(entry, this.partitionOf(entry))
      this.#known.set(entry, cursor)
    }
    return cursor
  }
}
