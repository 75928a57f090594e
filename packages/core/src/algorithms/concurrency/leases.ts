import type { Lease } from '../algorithm.js'
import { insert, remove, type Order, type Ranked } from './order.js'

/**
 * Who holds units of one key, in the order in which they become free. A holder is an owner, or a lease of its own without one; it holds its
 * units until the last of its grants ends. Nothing here asks whether there is room: the steps do.
 */
export interface Leases extends Order<Holder> {
  /**
   * By their owner. No Map: one from which the same key is deleted and set over and over searches all its former places, thousands of them
   * where it is large. A lock that one owner takes again and again is just that.
   */
  owners: Record<string, Holder | undefined>
  /** By the id of their lease. */
  readonly grants: Map<string, Grant>
}

/** Its rank is that of the last of its grants. */
export interface Holder extends Ranked<Holder> {
  /** Undefined for a lease without one. */
  readonly owner: string | undefined
  units: number
  readonly grants: Order<Grant>
}

export interface Grant extends Ranked<Grant> {
  readonly id: string
  readonly holder: Holder
}

/**
 * A rank is the moment at which a grant ends, and how many others there were in the millisecond in which it began. It is below 2^53 until the
 * year 2248. What is granted after so many in one millisecond shares the last rank.
 */
export const ranksPerMs = 1024

export function newLeases(): Leases {
  return { first: undefined, last: undefined, owners: noOwners(), grants: new Map() }
}

/** Any string may be an owner's name, those that objects have properties for too. */
function noOwners(): Leases['owners'] {
  const owners: Leases['owners'] = {}
  Object.setPrototypeOf(owners, null)
  return owners
}

/** What is still held of `held` units. */
export function live(leases: Leases, held: number, now: number): number {
  let left = held
  for (let at = leases.first; at !== undefined && hasEnded(at, now); at = at.after) left -= at.units
  return left
}

/** The holder whose units a lease is granted without taking others. */
export function holderOf(leases: Leases, lease: Lease, now: number): Holder | undefined {
  const holder = knownHolder(leases, lease)
  return holder === undefined || hasEnded(holder, now) ? undefined : holder
}

/** The moment at which `units` have become free, not counting those of one holder. */
export function freeAt(
  leases: Leases,
  units: number,
  now: number,
  except: Holder | undefined,
): number {
  let left = units
  for (let at = leases.first; at !== undefined; at = at.after) {
    if (hasEnded(at, now) || at === except) continue
    left -= at.units
    if (left <= 0) return endOf(at.rank)
  }
  return lastEnd(leases)
}

/** The moment at which nothing is held any more; 0 if nothing ever was. */
export function lastEnd({ last }: Leases): number {
  return last === undefined ? 0 : endOf(last.rank)
}

/** Forgets those who hold nothing any more. */
export function clear(leases: Leases, now: number): void {
  while (leases.first !== undefined && hasEnded(leases.first, now)) drop(leases, leases.first)
}

/** Forgets all. */
export function empty(leases: Leases): void {
  leases.first = undefined
  leases.last = undefined
  leases.owners = noOwners()
  leases.grants.clear()
}

/** Grants a lease, and tells how many units it took that its holder did not hold. The same lease again takes none. */
export function grant(
  leases: Leases,
  lease: Lease,
  cost: number,
  rank: number,
  now: number,
): number {
  const { id } = lease
  const known = knownHolder(leases, lease)
  const holder = known ?? newHolder(leases, lease)
  const had = holder.units
  holder.units = Math.max(had, cost)
  clearGrants(leases, holder, now)
  const same = leases.grants.get(id)
  if (same !== undefined) remove(same.holder.grants, same)
  const granted = { id, holder, rank, before: undefined, after: undefined }
  leases.grants.set(id, granted)
  insert(holder.grants, granted)
  if (known !== undefined) remove(leases, holder)
  place(leases, holder)
  return holder.units - had
}

/** The grant of a lease that is held. */
export function grantOf(leases: Leases, id: string, now: number): Grant | undefined {
  const found = leases.grants.get(id)
  return found === undefined || hasEnded(found, now) ? undefined : found
}

/** Gives a grant another end. */
export function move(leases: Leases, granted: Grant, rank: number): void {
  const { holder } = granted
  remove(holder.grants, granted)
  granted.rank = rank
  insert(holder.grants, granted)
  remove(leases, holder)
  place(leases, holder)
}

/** Ends a grant, and tells how many units are free by that. */
export function finish(leases: Leases, { id, holder }: Grant, now: number): number {
  const granted = leases.grants.get(id)
  if (granted !== undefined) remove(holder.grants, granted)
  leases.grants.delete(id)
  const { last } = holder.grants
  if (last === undefined || hasEnded(last, now)) return drop(leases, holder)
  remove(leases, holder)
  place(leases, holder)
  return 0
}

/** Ends all grants of the newest holders, as long as `units` are enough for all that each holds, and tells how many are free by that. */
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

function newHolder(leases: Leases, { id, owner }: Lease): Holder {
  const grants = { first: undefined, last: undefined }
  const named = owner === id ? undefined : owner
  const holder = { owner: named, units: 0, grants, rank: 0, before: undefined, after: undefined }
  if (named !== undefined) leases.owners[named] = holder
  return holder
}

/** Puts a holder that is in no place where its last grant ends. */
function place(leases: Leases, holder: Holder): void {
  holder.rank = holder.grants.last?.rank ?? 0
  insert(leases, holder)
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
