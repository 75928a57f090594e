import type { Lease } from '../algorithm.js'
import { ByteWriter, readBytes, type ByteReader } from '../bytes.js'
import { itemsOf, moveTo, remove, type Ranked, type RankedList } from './ranked-list.js'

/** An owner, or a lease without an owner. It holds its units until the last of its grants ends, and the rank of that grant is its own. */
export interface Holder extends Ranked<Holder> {
  /** Undefined for a lease without an owner. */
  readonly owner: string | undefined
  units: number
  readonly grants: RankedList<Grant>
}

export interface Grant extends Ranked<Grant> {
  readonly id: string
  readonly holder: Holder
}

/**
 * A rank consists of the time at which a grant ends and the number of earlier grants in the millisecond in which it began. It is below 2^53
 * until the year 2248. Further grants in one millisecond than this share the last rank.
 */
export const ranksPerMs = 1024

/** The holders of the units of one key, in the order in which the units become free. The limit is checked by the steps. */
export class Leases implements RankedList<Holder> {
  first: Holder | undefined
  last: Holder | undefined
  #owners = noOwners()
  /** By the id of the lease. */
  readonly #grants = new Map<string, Grant>()

  /** The number of `held` units that are still held. */
  live(held: number, now: number): number {
    let left = held
    let holder = this.first
    for (; holder !== undefined && hasEnded(holder, now); holder = holder.after)
      left -= holder.units
    return left
  }

  /** The holder with the owner of a lease, if it still holds units: the lease can share them. */
  holderOf(lease: Lease, now: number): Holder | undefined {
    const holder = this.#knownHolder(lease)
    return holder === undefined || hasEnded(holder, now) ? undefined : holder
  }

  /** The time at which `units` have become free, without those of the holder `except`. */
  freeAt(units: number, now: number, except: Holder | undefined): number {
    let left = units
    for (let holder = this.first; holder !== undefined; holder = holder.after) {
      if (hasEnded(holder, now) || holder === except) continue
      left -= holder.units
      if (left <= 0) return endOf(holder.rank)
    }
    return this.lastEnd()
  }

  /** The time from which no units are held; 0 if there are no leases. */
  lastEnd(): number {
    return this.last === undefined ? 0 : endOf(this.last.rank)
  }

  /** Removes the holders whose leases have ended. */
  clear(now: number): void {
    while (this.first !== undefined && hasEnded(this.first, now)) this.#drop(this.first)
  }

  /** Removes all holders. */
  empty(): void {
    this.first = undefined
    this.last = undefined
    this.#owners = noOwners()
    this.#grants.clear()
  }

  /** Grants a lease and returns the number of units that its holder did not hold before. The same lease takes no units again. */
  grant(lease: Lease, cost: number, rank: number, now: number): number {
    const { id } = lease
    const holder = this.#knownHolder(lease) ?? this.#newHolder(lease)
    const had = holder.units
    holder.units = Math.max(had, cost)
    this.#clearGrants(holder, now)
    const known = this.#grants.get(id)
    const granted = known ?? { id, holder, rank, before: undefined, after: undefined }
    this.#grants.set(id, granted)
    this.move(granted, rank)
    return holder.units - had
  }

  /** The grant of a lease that has not ended. */
  grantOf(id: string, now: number): Grant | undefined {
    const found = this.#grants.get(id)
    return found === undefined || hasEnded(found, now) ? undefined : found
  }

  /** Changes the end of a grant. */
  move(granted: Grant, rank: number): void {
    const { holder } = granted
    moveTo(rank, granted, holder.grants)
    moveTo(holder.grants.last?.rank ?? rank, holder, this)
  }

  /** Ends a grant and returns the number of units that this frees. */
  finish(granted: Grant, now: number): number {
    const { holder } = granted
    this.#removeGrant(granted)
    const { last } = holder.grants
    if (last === undefined || hasEnded(last, now)) return this.#drop(holder)
    moveTo(last.rank, holder, this)
    return 0
  }

  /** Ends all grants of the newest holders, as long as `units` covers all units of a holder, and returns the number of freed units. */
  endNewest(units: number): number {
    let freed = 0
    while (this.last !== undefined && freed + this.last.units <= units)
      freed += this.#drop(this.last)
    return freed
  }

  /** The leases as bytes: for each holder in its order the owner, the units, and the id and the rank of each grant. */
  pack(): Uint8Array {
    const writer = new ByteWriter()
    const holders = itemsOf(this)
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
  static unpack(bytes: Uint8Array, held: number): Leases | undefined {
    return readBytes(bytes, (reader) => {
      const leases = new Leases()
      let units = 0
      for (let left = reader.number(); left > 0; left--) units += leases.#readHolder(reader)
      return units === held ? leases : undefined
    })
  }

  /** Reads a holder, and returns its units. */
  #readHolder(reader: ByteReader): number {
    const owner = reader.number() === 0 ? undefined : reader.text()
    const units = reader.number()
    let held = 0
    for (let left = reader.number(); left > 0; left--) {
      const id = reader.text()
      held += this.grant({ id, owner: owner ?? id }, units, reader.number(), 0)
    }
    return held
  }

  #knownHolder({ id, owner }: Lease): Holder | undefined {
    return owner === id ? this.#grants.get(id)?.holder : this.#owners[owner]
  }

  /** A holder without grants. It is not in the list yet. */
  #newHolder({ id, owner: name }: Lease): Holder {
    const grants = { first: undefined, last: undefined }
    const owner = name === id ? undefined : name
    const holder = { owner, units: 0, grants, rank: 0, before: undefined, after: undefined }
    if (owner !== undefined) this.#owners[owner] = holder
    return holder
  }

  #clearGrants({ grants }: Holder, now: number): void {
    while (grants.first !== undefined && hasEnded(grants.first, now))
      this.#removeGrant(grants.first)
  }

  #removeGrant(granted: Grant): void {
    this.#grants.delete(granted.id)
    remove(granted.holder.grants, granted)
  }

  #drop(holder: Holder): number {
    this.#clearGrants(holder, Infinity)
    if (holder.owner !== undefined) delete this.#owners[holder.owner]
    remove(this, holder)
    return holder.units
  }
}

/**
 * By owner. Not a Map: if one key is repeatedly deleted from a large Map and set again, as for a lock that one owner takes repeatedly, V8
 * searches all deleted entries of that key, thousands of them. Any string may be the name of an owner, even the name of a property of all objects.
 */
function noOwners(): Record<string, Holder | undefined> {
  const owners: Record<string, Holder | undefined> = {}
  Object.setPrototypeOf(owners, null)
  return owners
}

function endOf(rank: number): number {
  return Math.floor(rank / ranksPerMs)
}

function hasEnded({ rank }: { readonly rank: number }, now: number): boolean {
  return endOf(rank) <= now
}
