import { processTime, type Time } from '../../clock.js'
import { optional, rate, readOptions } from '../../policy.js'
import type { Entry, Outcome, StoreRequest, SyncStore } from '../store.js'
import { createKeyHash } from './key-hash.js'
import { createRoom } from './room.js'
import type { Table } from './table.js'
import type { Row } from '../../algorithms/algorithm.js'

export interface MemoryStoreOptions {
  /**
   * How many counts are kept at most, one for each policy of each key. When all places are taken, counts that have ended go
   * first, then counts of keys that still have quota to spend. A key that has spent its quota goes only where every key has; then
   * it is the one that ends soonest.
   *
   * @default 100_000
   */
  readonly maxKeys?: number
}

export interface MemoryStore extends SyncStore {
  /** How many counts are kept now, ended ones that nothing has swept yet included. */
  readonly size: number
  /** How many counts were let go although their quota was spent. More than 0 says that `maxKeys` is too small. */
  readonly evicted: number
}

/**
 * Keeps the counts in this process: the default. It answers at once, without a promise, and holds no timer. Time is the process's
 * own and never steps, except for windows that begin at a time of day, which follow the wall clock.
 *
 * @example
 * const store = memoryStore({ maxKeys: 1_000_000 })
 * @throws SluiceError where an option is unknown or out of range
 */
export function memoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  const { maxKeys } = readOptions('memoryStore', options, { maxKeys: optional(rate, 100_000) })
  return createMemoryStore(maxKeys, processTime)
}

/** Where an entry's rows lie: their table, and what sets them apart from other entries' rows of the same key. */
interface Shelf {
  readonly table: Table
  readonly high: number
  readonly low: number
}

function createMemoryStore(maxKeys: number, time: Time): MemoryStore {
  const [k0, k1] = crypto.getRandomValues(new Int32Array(2))
  const keyHash = createKeyHash(k0, k1)
  const room = createRoom(maxKeys)
  const shelves = new WeakMap<Entry, Shelf>()

  function shelfOf(entry: Entry): Shelf {
    let shelf = shelves.get(entry)
    if (shelf === undefined) {
      const { limiter, name, steps, params } = entry
      const { moments, counts } = steps.cells(params)
      keyHash.hash(JSON.stringify([limiter, name, steps.id]))
      shelf = { table: room.tableOf(moments + counts), high: keyHash.high, low: keyHash.low }
      shelves.set(entry, shelf)
    }
    return shelf
  }

  // Where the row of each entry lies, for the request that runs now: a store answers at once, so there is never a second one.
  const tables: Table[] = []
  const highs: number[] = []
  const lows: number[] = []

  /** Finds where the row of the i-th entry lies: its table, its fingerprint, and its place there, or -1. */
  function locate(entry: Entry, key: string, i: number): number {
    const shelf = shelfOf(entry)
    keyHash.hash(key)
    tables[i] = shelf.table
    highs[i] = keyHash.high ^ shelf.high
    lows[i] = keyHash.low ^ shelf.low
    return shelf.table.find(highs[i], lows[i])
  }

  function save({ steps, params }: Entry, i: number, row: Row, now: number): void {
    const table = tables[i]
    const place = table.find(highs[i], lows[i])
    const ends = steps.ends(row, params)
    if (ends > now) {
      if (place === -1) room.makeRoom(table, now)
      table.write(highs[i], lows[i], row, ends, steps.remaining(row, params, now) === 0)
    } else if (place !== -1) {
      table.remove(place)
    }
  }

  function decide({ verb, entries, keys, cost, now: injected }: StoreRequest): Outcome {
    const now = injected ?? time.monotonic()
    const wall = injected ?? (entries.some(followsWall) ? time.wall() : now)
    const rows: Row[] = []
    let allowed = true
    for (let i = 0; i < entries.length; i++) {
      const { steps, params } = entries[i]
      const place = locate(entries[i], keys[i], i)
      const row = place === -1 ? tables[i].blank() : tables[i].read(place)
      if (!steps.look(row, params, followsWall(entries[i]) ? wall : now, cost)) allowed = false
      rows.push(row)
    }
    if (allowed && verb === 'consume') {
      for (let i = 0; i < entries.length; i++) {
        const { steps, params } = entries[i]
        const at = followsWall(entries[i]) ? wall : now
        steps.take(rows[i], params, at, cost)
        save(entries[i], i, rows[i], at)
      }
    }
    return { allowed, rows, now, wall }
  }

  function reset({ entries, keys }: StoreRequest): Outcome {
    for (let i = 0; i < entries.length; i++) {
      const place = locate(entries[i], keys[i], i)
      if (place !== -1) tables[i].remove(place)
    }
    return { allowed: true, rows: [], now: 0, wall: 0 }
  }

  return {
    async: false,
    run: (requests) =>
      requests.map((request) => (request.verb === 'reset' ? reset(request) : decide(request))),
    close() {},
    get size() {
      return room.size
    },
    get evicted() {
      return room.evicted
    },
  }
}

function followsWall({ steps, params }: Entry): boolean {
  return steps.followsWall(params)
}
