import type { Lease } from '../algorithm.js'

/**
 * The holders of the units of one key, in the order in which the units become free. A holder is an owner, or a lease without an owner. It holds
 * its units until the last of its grants ends. These functions do not check the limit: the steps do.
 */
export interface Leases extends RankedList<Holder> {
  /**
   * By owner. Not a Map: if one key is repeatedly deleted from a large Map and set again, as for a lock that one owner takes repeatedly, V8
   * searches all deleted entries of that key, thousands of them.
   */
  owners: Record<string, Holder | undefined>
  /** By the id of the lease. */
  readonly grants: Map<string, Grant>
}

/** The rank of a holder is that of its last grant. */
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

export function newLeases(): Leases {
  return { first: undefined, last: undefined, owners: noOwners(), grants: new Map() }
}

/** Any string may be the name of an owner, even the name of a property of all objects. */
function noOwners(): Leases['owners'] {
  const owners: Leases['owners'] = {}
  Object.setPrototypeOf(owners, null)
  return owners
}

/** The number of `held` units that are still held. */
export function live(leases: Leases, held: number, now: number): number {
  let left = held
  let holder = leases.first
  for (; holder !== undefined && hasEnded(holder, now); holder = holder.after) left -= holder.units
  return left
}

/** The holder with the owner of a lease, if it still holds units: the lease can share them. */
export function holderOf(leases: Leases, lease: Lease, now: number): Holder | undefined {
  const holder = knownHolder(leases, lease)
  return holder === undefined || hasEnded(holder, now) ? undefined : holder
}

/** The time at which `units` have become free, without those of the holder `except`. */
export function freeAt(
  leases: Leases,
  units: number,
  now: number,
  except: Holder | undefined,
): number {
  let left = units
  for (let holder = leases.first; holder !== undefined; holder = holder.after) {
    if (hasEnded(holder, now) || holder === except) continue
    left -= holder.units
    if (left <= 0) return endOf(holder.rank)
  }
  return lastEnd(leases)
}

/** The time from which no units are held; 0 if there are no leases. */
export function lastEnd({ last }: Leases): number {
  return last === undefined ? 0 : endOf(last.rank)
}

/** Removes the holders whose leases have ended. */
export function clear(leases: Leases, now: number): void {
  while (leases.first !== undefined && hasEnded(leases.first, now)) drop(leases, leases.first)
}

/** Removes all holders. */
export function empty(leases: Leases): void {
  leases.first = undefined
  leases.last = undefined
  leases.owners = noOwners()
  leases.grants.clear()
}

/** Grants a lease and returns the number of units that its holder did not hold before. The same lease takes no units again. */
export function grant(
  leases: Leases,
  lease: Lease,
  cost: number,
  rank: number,
  now: number,
): number {
  const { id } = lease
  const holder = knownHolder(leases, lease) ?? newHolder(leases, lease)
  const had = holder.units
  holder.units = Math.max(had, cost)
  clearGrants(leases, holder, now)
  const known = leases.grants.get(id)
  const granted = known ?? { id, holder, rank, before: undefined, after: undefined }
  leases.grants.set(id, granted)
  move(leases, granted, rank)
  return holder.units - had
}

/** The grant of a lease that has not ended. */
export function grantOf(leases: Leases, id: string, now: number): Grant | undefined {
  const found = leases.grants.get(id)
  return found === undefined || hasEnded(found, now) ? undefined : found
}

/** Changes the end of a grant. */
export function move(leases: Leases, granted: Grant, rank: number): void {
  const { holder } = granted
  moveTo(rank, granted, holder.grants)
  moveTo(holder.grants.last?.rank ?? 0, holder, leases)
}

/** Ends a grant and returns the number of units that this frees. */
export function finish(leases: Leases, granted: Grant, now: number): number {
  const { id, holder } = granted
  remove(holder.grants, granted)
  leases.grants.delete(id)
  const { last } = holder.grants
  if (last === undefined || hasEnded(last, now)) return drop(leases, holder)
  moveTo(last.rank, holder, leases)
  return 0
}

/** Ends all grants of the newest holders, as long as `units` covers all units of a holder, and returns the number of freed units. */
export function endNewest(leases: Leases, units: number): number {
  let freed = 0
  while (leases.last !== undefined && freed + leases.last.units <= units) {
    freed += drop(leases, leases.last)
  }
  return freed
}

function endOf(rank: number): number {
  return Math.floor(rank / ranksPerMs)
}

function hasEnded({ rank }: { readonly rank: number }, now: number): boolean {
  return endOf(rank) <= now
}

function knownHolder({ owners, grants }: Leases, { id, owner }: Lease): Holder | undefined {
  return owner === id ? grants.get(id)?.holder : owners[owner]
}

/** A holder without grants. It is not in the list yet. */
function newHolder(leases: Leases, { id, owner: name }: Lease): Holder {
  const grants = { first: undefined, last: undefined }
  const owner = name === id ? undefined : name
  const holder = { owner, units: 0, grants, rank: 0, before: undefined, after: undefined }
  if (owner !== undefined) leases.owners[owner] = holder
  return holder
}

function clearGrants(leases: Leases, { grants }: Holder, now: number): void {
  while (grants.first !== undefined && hasEnded(grants.first, now)) {
    leases.grants.delete(grants.first.id)
    remove(grants, grants.first)
  }
}

function drop(leases: Leases, holder: Holder): number {
  for (let at = holder.grants.first; at !== undefined; at = at.after) leases.grants.delete(at.id)
  if (holder.owner !== undefined) delete leases.owners[holder.owner]
  remove(leases, holder)
  return holder.units
}

/** An item of a list that is sorted by rank. */
export interface Ranked<T> {
  rank: number
  before: T | undefined
  after: T | undefined
}

/**
 * A linked list of items from the smallest rank to the greatest. Unless the leases of a key have several durations, the lease that is added
 * last also expires last. So an item is added at the end in one step and removed in one step, and no array is copied.
 */
export interface RankedList<T> {
  first: T | undefined
  last: T | undefined
}

/** Moves an item to its new rank, or adds it to the list. */
function moveTo<T extends Ranked<T>>(rank: number, item: T, list: RankedList<T>): void {
  remove(list, item)
  let before = list.last
  while (before !== undefined && before.rank > rank) before = before.before
  const after = before === undefined ? list.first : before.after
  item.rank = rank
  item.before = before
  item.after = after
  if (before === undefined) list.first = item
  else before.after = item
  if (after === undefined) list.last = item
  else after.before = item
}

/** Removes an item from its list, if it is in it. */
function remove<T extends Ranked<T>>(list: RankedList<T>, item: T): void {
  const { before, after } = item
  if (before === undefined && list.first !== item) return
  if (before === undefined) list.first = after
  else before.after = after
  if (after === undefined) list.last = before
  else after.before = before
}
