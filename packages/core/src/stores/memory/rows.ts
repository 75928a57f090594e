import type { BodiedSteps, Lease, Row } from '../../algorithms/algorithm.js'
import { blockForgotten, UNTIL } from '../block.js'
import type { Entry } from '../store.js'
import { newKeyHash } from './key-hash.js'
import { nextReset, resetsIn } from './reset.js'
import { Room } from './room.js'
import type { Segment } from './segment.js'
import { createShelves, type Shelf } from './shelves.js'
import type { Table } from './table.js'

/** The state of one entry while its request runs; then it is the answer. */
export interface Held {
  row: Row
  blockedUntil: number
  readonly now: number
  resets?: number
}

/**
 * One entry of the request that runs, and where its state is kept. A store that answers at once never runs two requests at once, so there is
 * one of these for each entry and not one for each decision.
 */
export interface Work {
  readonly entry: Entry
  readonly followsWall: boolean
  readonly isBodied: boolean
  /** Over the body of the key, if it has one. */
  steps: BodiedSteps
  body: unknown

  readonly shelf: Shelf
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
export class Rows {
  readonly room: Room
  readonly #keyHash = newKeyHash()
  readonly #shelfOf: (entry: Entry) => Shelf
  readonly #known = new WeakMap<Entry, Work>()
  // Most requests are about the same entries as the one before.
  #lastEntries: readonly Entry[] = []
  #lastWorks: readonly Work[] = []
  #moment = 0
  #requests = 0
  /** No reset is later. */
  #lastReset = -1

  constructor(maxKeys: number) {
    this.room = new Room(maxKeys)
    this.#shelfOf = createShelves(this.room)
  }

  /**
   * Begins a request at this moment of the one clock by which rows are kept: an entry that goes by another, because it follows the wall, is
   * kept for as long as it lasts from now on, so that no sweep takes one clock's moments for the other's.
   */
  begin(moment: number): void {
    this.#moment = moment
  }

  /** Clears away, now and then, what ended before that moment. */
  tidy(): void {
    if (this.#requests++ % requestsPerSweep === 0) this.room.tidy(this.#moment)
  }

  worksOf(entries: readonly Entry[]): readonly Work[] {
    if (entries !== this.#lastEntries) {
      this.#lastEntries = entries
      this.#lastWorks = entries.map((entry) => this.#workOf(entry))
    }
    return this.#lastWorks
  }

  /** Whose states are loaded from now on. */
  turnTo(key: string): void {
    this.#keyHash.hash(key)
  }

  /** Finds and reads the state that the key has at `now`. */
  load(work: Work, now: number, lease: Lease): Held {
    const { entry, shelf, views } = work
    work.keyHigh = this.#keyHash.high
    work.keyLow = this.#keyHash.low
    locate(work)
    const { segment, place } = work
    if (work.isBodied && 'over' in entry.steps) {
      work.body = segment.bodyOf(place) ?? entry.steps.newBody(entry.params)
      work.steps = entry.steps.over(work.body, lease)
    }
    const row = place === -1 ? shelf.table.blank(views) : segment.read(place, views)
    const state: Held = { row, blockedUntil: this.loadBlock(work)[UNTIL], now }
    if (now <= this.#lastReset) {
      const resets = resetsIn(this.loadReset(work), now)
      if (resets > 0) state.resets = resets
    }
    return state
  }

  /** Whether there is a row that has not ended. */
  isKept(work: Work): boolean {
    relocate(work)
    return work.place !== -1 && work.segment.endOf(work.place) > this.#moment
  }

  /** Keeps a row until it ends; forgets it where it has. */
  save(work: Work, { row, now }: Held): void {
    const { steps, params } = work.entry
    const { table, high, low } = work.shelf
    const spent = steps.used(row, params, now) >= steps.quota(params)
    const lasts = steps.ends(row, params) - now
    const ends = this.#moment + lasts
    forgetRivals(work)
    relocate(work)
    if (lasts <= 0) {
      if (work.place !== -1) table.remove(work.segment, work.place)
    } else if (work.place !== -1) {
      table.write(work.segment, work.place, row, ends, spent, work.body)
    } else {
      this.room.makeRoom(table, work.keyHigh ^ high, this.#moment)
      table.add(work.keyHigh ^ high, work.keyLow ^ low, row, ends, spent, work.body)
    }
  }

  forget(work: Work): void {
    const { shelf, keyHigh, keyLow } = work
    forgetRivals(work)
    remove(shelf.table, keyHigh ^ shelf.high, keyLow ^ shelf.low)
  }

  loadBlock({ shelf, keyHigh, keyLow }: Work): Row {
    const { blocks } = this.room
    if (blocks.size === 0) return noBlock
    return read(blocks, keyHigh ^ shelf.blockHigh, keyLow ^ shelf.blockLow) ?? noBlock
  }

  saveBlock(work: Work, block: Row, now: number): void {
    const { shelf, keyHigh, keyLow } = work
    const { blocks } = this.room
    this.forgetBlock(work)
    const lasts = blockForgotten(block) - now
    if (lasts <= 0) return
    this.room.makeRoom(blocks, keyHigh ^ shelf.blockHigh, this.#moment)
    const ends = this.#moment + lasts
    blocks.add(keyHigh ^ shelf.blockHigh, keyLow ^ shelf.blockLow, block, ends, true, undefined)
  }

  forgetBlock({ shelf, keyHigh, keyLow }: Work): void {
    remove(this.room.blocks, keyHigh ^ shelf.blockHigh, keyLow ^ shelf.blockLow)
  }

  loadReset({ shelf, keyHigh, keyLow }: Work): Row {
    const { resets } = this.room
    if (resets.size === 0) return noReset
    return read(resets, keyHigh ^ shelf.resetHigh, keyLow ^ shelf.resetLow) ?? noReset
  }

  /** Records a reset at `now` of a row that would have ended at `ends`, and keeps the record until then. */
  saveReset(work: Work, now: number, ends: number): void {
    const { resets } = this.room
    if (ends <= now) return
    const high = work.keyHigh ^ work.shelf.resetHigh
    const low = work.keyLow ^ work.shelf.resetLow
    const row = nextReset(this.loadReset(work), now)
    const segment = resets.segmentOf(high)
    const place = segment.find(high, low)
    const keptUntil = this.#moment + (ends - now)
    if (place === -1) {
      this.room.makeRoom(resets, high, this.#moment)
      resets.add(high, low, row, keptUntil, false, undefined)
    } else {
      const longer = Math.max(segment.endOf(place), keptUntil)
      resets.write(segment, place, row, longer, false, undefined)
    }
    this.#lastReset = Math.max(this.#lastReset, row[0])
  }

  #workOf(entry: Entry): Work {
    let work = this.#known.get(entry)
    if (work === undefined) {
      work = newWork(entry, this.#shelfOf(entry))
      this.#known.set(entry, work)
    }
    return work
  }
}

function locate(work: Work): void {
  const { table, high, low } = work.shelf
  work.segment = table.segmentOf(work.keyHigh ^ high)
  work.place = work.segment.find(work.keyHigh ^ high, work.keyLow ^ low)
  work.moves = table.moves
}

/** What was written since may have moved the row. */
function relocate(work: Work): void {
  if (work.moves !== work.shelf.table.moves) locate(work)
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
function forgetRivals({ shelf, keyHigh, keyLow }: Work): void {
  if (shelf.rivals.size === 1) return
  for (const rival of shelf.rivals.values()) {
    if (rival !== shelf) remove(rival.table, keyHigh ^ rival.high, keyLow ^ rival.low)
  }
}

function newWork(entry: Entry, shelf: Shelf): Work {
  const { steps, params } = entry
  return {
    entry,
    followsWall: steps.followsWall(params),
    isBodied: 'over' in steps,
    steps: 'over' in steps ? steps.over(steps.newBody(params), nobody) : steps,
    body: undefined,
    shelf,
    views: steps.cells(params).views ?? 0,
    keyHigh: 0,
    keyLow: 0,
    segment: shelf.table.segmentOf(0),
    place: -1,
    moves: 0,
  }
}
