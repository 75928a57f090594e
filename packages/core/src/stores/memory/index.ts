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

/** What an entry's rows are found by: their table, and what sets them apart from all other entries' rows of the same key. */
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
    const known = shelves.get(entry)
    if (known !== undefined) return known
    keyHash.hash(JSON.stringify([entry.limiter, entry.name, entry.steps.id]))
    const { high, low } = keyHash
    const { moments, counts } = entry.steps.cells(entry.params)
    const table = room.tableOf(moments + counts)
    const shelf = { table, high, low }
    shelves.set(entry, shelf)
    return shelf
  }

  function load(entry: Entry, key: string): Row {
    const { table, high, low } = shelfOf(entry)
    keyHash.hash(key)
    const place = table.find(keyHash.high ^ high, keyHash.low ^ low)
    return place === -1 ? table.blank() : table.read(place)
  }

  function save(entry: Entry, key: string, row: Row, now: number): void {
    const { steps, params } = entry
    const { table, high, low } = shelfOf(entry)
    keyHash.hash(key)
    const rowHigh = keyHash.high ^ high
    const rowLow = keyHash.low ^ low
    const place = table.find(rowHigh, rowLow)
    const ends = steps.ends(row, params)
    if (ends > now) {
      if (place === -1) room.makeRoom(table, now)
      table.write(rowHigh, rowLow, row, ends, steps.remaining(row, params, now) === 0)
    } else if (place !== -1) {
      table.remove(place)
    }
  }

  function forget(entry: Entry, key: string): void {
    const { table, high, low } = shelfOf(entry)
    keyHash.hash(key)
    const place = table.find(keyHash.high ^ high, keyHash.low ^ low)
    if (place !== -1) table.remove(place)
  }

  function decide(request: StoreRequest): Outcome {
    const { verb, entries, keys, cost } = request
    const now = request.now ?? time.monotonic()
    const wall = request.now ?? (entries.some(followsWall) ? time.wall() : now)
    const rows: Row[] = []
    let allowed = true
    for (let i = 0; i < entries.length; i++) {
      const { steps, params } = entries[i]
      const row = load(entries[i], keys[i])
      if (!steps.look(row, params, followsWall(entries[i]) ? wall : now, cost)) allowed = false
      rows.push(row)
    }
    if (allowed && verb === 'consume') {
      for (let i = 0; i < entries.length; i++) {
        const { steps, params } = entries[i]
        const at = followsWall(entries[i]) ? wall : now
        steps.take(rows[i], params, at, cost)
        save(entries[i], keys[i], rows[i], at)
      }
    }
    return { allowed, rows, now, wall }
  }

  function run(request: StoreRequest): Outcome {
    if (request.verb !== 'reset') return decide(request)
    request.entries.forEach((entry, i) => forget(entry, request.keys[i]))
    return { allowed: true, rows: [], now: 0, wall: 0 }
  }

  return {
    async: false,
    run: (requests) => requests.map(run),
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
