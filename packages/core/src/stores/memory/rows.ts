import type { Row } from '../../algorithms/algorithm.js'
import { blockForgotten, blockId } from '../../block.js'
import type { Entry } from '../store.js'
import { createKeyHash } from './key-hash.js'
import { createRoom } from './room.js'
import type { Table } from './table.js'

/**
 * The rows of the entries of one request at a time, and those of their blocks. A store that answers at once never runs two requests at
 * once, so where the i-th entry's rows lie is noted here and not in an object for each request.
 */
export interface Rows {
  /**
   * Begins a request at this moment of the one clock by which rows are kept: an entry that goes by another, because it follows the wall, is
   * kept for as long as it lasts from now on, so that no sweep takes one clock's moments for the other's.
   */
  begin(moment: number): void
  /** Finds and reads the row of the i-th entry. Must come before all other calls for that entry. */
  load(i: number, entry: Entry, key: string): Row
  /** The body beside the row of the i-th entry: the one that is kept, or a new one. */
  body(i: number, entry: Entry): unknown
  /** Whether `load` found a row that has not ended. */
  isKept(i: number): boolean
  /** Keeps a row until it ends; forgets it where it has. */
  save(i: number, entry: Entry, row: Row, now: number): void
  loadBlock(i: number): Row
  saveBlock(i: number, row: Row, now: number): void
  forget(i: number): void
  forgetBlock(i: number): void
  readonly size: number
  readonly evicted: number
}

/** What sets an entry's rows apart from other entries' rows of the same key. */
interface Shelf {
  readonly table: Table
  readonly views: number
  readonly high: number
  readonly low: number
  readonly blockHigh: number
  readonly blockLow: number
  /** All shelves of the policy's name: its algorithm may have been another one. Of the rows of one key, only the last written stays. */
  readonly rivals: Map<string, Shelf>
}

const noBlock: Row = [0, 0]

export function createRows(maxKeys: number): Rows {
  const [k0, k1, k2, k3] = crypto.getRandomValues(new Int32Array(4))
  const keyHash = createKeyHash(k0, k1)
  // Under a key of its own: or else a key that spells an entry's identity, and the reverse, would meet in one place.
  const entryHash = createKeyHash(k2, k3)
  const room = createRoom(maxKeys)
  const shelves = new WeakMap<Entry, Shelf>()
  const shelvesByName = new Map<string, Map<string, Shelf>>()

  let moment = 0
  const located: Shelf[] = []
  const highs: number[] = []
  const lows: number[] = []
  const ends: number[] = []
  const bodies: unknown[] = []

  function shelfOf(entry: Entry): Shelf {
    let shelf = shelves.get(entry)
    if (shelf === undefined) {
      shelf = findOrMakeShelf(entry)
      shelves.set(entry, shelf)
    }
    return shelf
  }

  function findOrMakeShelf({ limiter, name, steps, params }: Entry): Shelf {
    const { moments, counts, views = 0 } = steps.cells(params)
    const identity = JSON.stringify([limiter, name])
    const rivals = shelvesByName.get(identity) ?? new Map<string, Shelf>()
    shelvesByName.set(identity, rivals)
    const shape = JSON.stringify([limiter, name, steps.id, moments + counts])
    let shelf = rivals.get(shape)
    if (shelf === undefined) {
      entryHash.hash(shape)
      const { high, low } = entryHash
      entryHash.hash(JSON.stringify([limiter, name, blockId]))
      const table = room.tableOf(moments + counts, 'over' in steps)
      const block = { blockHigh: entryHash.high, blockLow: entryHash.low }
      shelf = { table, views, high, low, ...block, rivals }
      rivals.set(shape, shelf)
    }
    return shelf
  }

  /** Forgets what other algorithms have counted under the same name. */
  function forgetRivals(i: number): void {
    const { rivals } = located[i]
    if (rivals.size === 1) return
    for (const rival of rivals.values()) {
      if (rival !== located[i]) remove(rival.table, highs[i] ^ rival.high, lows[i] ^ rival.low)
    }
  }

  function keep(
    table: Table,
    high: number,
    low: number,
    row: Row,
    until: number,
    now: number,
    spent: boolean,
    body: unknown,
  ): void {
    const place = table.find(high, low)
    if (until > now) {
      if (place === -1) room.makeRoom(table, moment)
      table.write(high, low, row, moment + (until - now), spent, body)
    } else if (place !== -1) {
      table.remove(place)
    }
  }

  function remove(table: Table, high: number, low: number): void {
    const place = table.find(high, low)
    if (place !== -1) table.remove(place)
  }

  return {
    begin(now) {
      moment = now
    },

    load(i, entry, key) {
      const shelf = shelfOf(entry)
      keyHash.hash(key)
      located[i] = shelf
      highs[i] = keyHash.high
      lows[i] = keyHash.low
      const place = shelf.table.find(highs[i] ^ shelf.high, lows[i] ^ shelf.low)
      const isFound = place !== -1
      ends[i] = isFound ? shelf.table.endsAt(place) : 0
      bodies[i] = isFound ? shelf.table.bodyAt(place) : undefined
      const row = isFound ? shelf.table.read(place) : shelf.table.blank()
      for (let view = shelf.views; view > 0; view--) row.push(0)
      return row
    },

    body(i, { steps, params }) {
      if (bodies[i] === undefined && 'over' in steps) bodies[i] = steps.newBody(params)
      return bodies[i]
    },

    isKept: (i) => ends[i] > moment,

    save(i, { steps, params }, row, now) {
      const { table, high, low } = located[i]
      const spent = steps.used(row, params, now) >= steps.quota(params)
      const until = steps.ends(row, params)
      forgetRivals(i)
      keep(table, highs[i] ^ high, lows[i] ^ low, row, until, now, spent, bodies[i])
    },

    loadBlock(i) {
      if (room.blocks.size === 0) return noBlock
      const { blockHigh, blockLow } = located[i]
      const place = room.blocks.find(highs[i] ^ blockHigh, lows[i] ^ blockLow)
      return place === -1 ? noBlock : room.blocks.read(place)
    },

    saveBlock(i, row, now) {
      const { blockHigh, blockLow } = located[i]
      const [high, low] = [highs[i] ^ blockHigh, lows[i] ^ blockLow]
      keep(room.blocks, high, low, row, blockForgotten(row), now, true, undefined)
    },

    forget(i) {
      forgetRivals(i)
      remove(located[i].table, highs[i] ^ located[i].high, lows[i] ^ located[i].low)
    },

    forgetBlock: (i) =>
      remove(room.blocks, highs[i] ^ located[i].blockHigh, lows[i] ^ located[i].blockLow),

    get size() {
      return room.size
    },
    get evicted() {
      return room.evicted
    },
  }
}
