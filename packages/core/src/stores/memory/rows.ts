import type { Row } from '../../algorithms/algorithm.js'
import { layoutOf } from '../../algorithms/kind.js'
import type { Clock } from '../../clock.js'
import type { Part, Rows } from '../rows.js'
import type { LimiterPolicy, StoreRequest } from '../store.js'
import { BoundedTables } from './bounded-tables.js'
import { newKeyHash, type KeyHash } from './key-hash.js'
import type { Segment } from './segment.js'
import type { Table } from './table.js'

/** A layout of state: an algorithm and the number of its cells. Each layout of a policy name has a row of its own. */
interface Layout {
  readonly table: Table
  readonly high: number
  readonly low: number
}

/** The rows of one policy, and the place of the last one. The hash of a key is combined by XOR with the bits of the policy's name, and of its layout. */
interface Place extends Layout {
  readonly nameHigh: number
  readonly nameLow: number
  segment: Segment
  /** Negative if there is no such row. */
  at: number
  /** The table's count of moves when the row was found. */
  moves: number
}

/** One request in so many sweeps a segment, which adds a few nanoseconds to the average request. */
const requestsPerSweep = 64

/** The rows of a store in memory, in tables. A row is copied when it is read, and copied back when it is kept. */
export class MemoryRows implements Rows {
  readonly tables: BoundedTables
  readonly #keyHash: KeyHash = newKeyHash()
  // A hash key of its own, because otherwise a limiter key with the text of a policy's identity would have the same hash as that identity.
  readonly #policyHash = newKeyHash()
  readonly #monotonic: Clock
  readonly #wall: Clock | undefined
  readonly #layouts = new Map<string, Layout>()
  readonly #placesOf = new WeakMap<readonly LimiterPolicy[], readonly Place[]>()
  #requests = 0
  // Of the current request.
  #policies: readonly LimiterPolicy[] = []
  #places: readonly Place[] = []
  /** The ends of all rows are times of this clock. Initialized with a fraction, so that V8 stores it as a double. */
  #now = 0.5

  /** @param wall the clock of windows that begin at a time of day, if it is another one */
  constructor(maxKeys: number, monotonic: Clock, wall?: Clock) {
    this.tables = new BoundedTables(maxKeys)
    this.#monotonic = monotonic
    this.#wall = wall
  }

  /** Begins a request at the time of its own clock, or now. One of many removes some rows that have ended. */
  begin({ verb, policies, now }: StoreRequest): void {
    this.#now = now ?? this.#monotonic()
    if (policies !== this.#policies) this.#select(policies)
    if (verb !== 'peek' && this.#requests++ % requestsPerSweep === 0) {
      this.tables.sweepSome(this.#now)
    }
  }

  timeOf(index: number): number {
    return this.#wall !== undefined && this.#policies[index].followsWall ? this.#wall() : this.#now
  }

  get(index: number, key: string, part: Part): Row | undefined {
    if (part === 'override') {
      return this.tables.overrides.size === 0 ? undefined : this.#overrideOf(index, key)
    }
    const place = this.#places[index]
    this.#find(place, key)
    const { segment, at } = place
    return at === -1 ? undefined : segment.read(at, this.#policies[index].extras)
  }

  #overrideOf(index: number, key: string): Row | undefined {
    const { nameHigh, nameLow } = this.#places[index]
    const hash = this.#keyHash
    hash.hash(key)
    return this.tables.overrides.read(hash.high ^ nameHigh, hash.low ^ nameLow)
  }

  recordsOf(index: number, key: string): unknown {
    const { segment, at } = this.#placeOf(index, key)
    return segment.recordsOf(at)
  }

  isKept(index: number, key: string): boolean {
    const { segment, at } = this.#placeOf(index, key)
    return at !== -1 && segment.endOf(at) > this.#now
  }

  put(
    index: number,
    key: string,
    part: Part,
    row: Row,
    lifeMs: number,
    isSpent: boolean,
    records: unknown,
  ): void {
    const ends = this.#now + lifeMs
    const place = this.#places[index]
    if (part === 'override') {
      this.delete(index, key, part)
      const { nameHigh, nameLow } = place
      if (lifeMs > 0) this.#add(this.tables.overrides, nameHigh, nameLow, row, ends, true, records)
      return
    }
    const { table } = place
    // The table can have moved the row since it was read.
    if (place.moves !== table.moves) this.#find(place, key)
    if (place.at !== -1 && lifeMs > 0) {
      table.write(place.segment, place.at, row, ends, isSpent, records)
    } else if (place.at !== -1) table.remove(place.segment, place.at)
    else if (lifeMs > 0) {
      this.#keyHash.hash(key)
      this.#add(table, place.high, place.low, row, ends, isSpent, records)
    }
  }

  delete(index: number, key: string, part: Part): void {
    const { nameHigh, nameLow } = this.#places[index]
    const hash = this.#keyHash
    hash.hash(key)
    const high = hash.high ^ nameHigh
    const low = hash.low ^ nameLow
    if (part === 'override') this.tables.overrides.removeKey(high, low)
    else
      for (const { table, high: layoutHigh, low: layoutLow } of this.#layouts.values())
        table.removeKey(high ^ layoutHigh, low ^ layoutLow)
  }

  /** Adds a row of the key that was hashed last. */
  #add(
    table: Table,
    high: number,
    low: number,
    row: Row,
    ends: number,
    isSpent: boolean,
    records: unknown,
  ): void {
    const hash = this.#keyHash
    this.tables.evictIfFull(table, hash.high ^ high, this.#now)
    table.add(hash.high ^ high, hash.low ^ low, row, ends, isSpent, records)
  }

  #placeOf(index: number, key: string): Place {
    const place = this.#places[index]
    if (place.moves !== place.table.moves) this.#find(place, key)
    return place
  }

  #find(place: Place, key: string): void {
    const { table } = place
    const hash = this.#keyHash
    hash.hash(key)
    const high = hash.high ^ place.high
    place.segment = table.segmentOf(high)
    place.at = place.segment.find(high, hash.low ^ place.low)
    place.moves = table.moves
  }

  #select(policies: readonly LimiterPolicy[]): void {
    const places = this.#placesOf.get(policies) ?? policies.map((policy) => this.#placeFor(policy))
    this.#placesOf.set(policies, places)
    this.#policies = policies
    this.#places = places
  }

  #placeFor(policy: LimiterPolicy): Place {
    const { table, ...layout } = this.#layoutFor(policy)
    this.#policyHash.hash(JSON.stringify([policy.limiter, policy.name]))
    const { high: nameHigh, low: nameLow } = this.#policyHash
    const [high, low] = [nameHigh ^ layout.high, nameLow ^ layout.low]
    const segment = table.segmentOf(0)
    return { table, high, low, nameHigh, nameLow, segment, at: -1, moves: -1 }
  }

  #layoutFor(policy: LimiterPolicy): Layout {
    const identity = layoutOf(policy)
    let layout = this.#layouts.get(identity)
    if (layout === undefined) {
      this.#policyHash.hash(identity)
      const { high, low } = this.#policyHash
      const table = this.tables.tableOf(policy.width, policy.steps.records !== undefined)
      layout = { table, high, low }
      this.#layouts.set(identity, layout)
    }
    return layout
  }
}
