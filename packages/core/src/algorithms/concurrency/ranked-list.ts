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

/** Adds an item, which must not be in a list. */
export function insert<T extends Ranked<T>>(list: RankedList<T>, item: T): void {
  let before = list.last
  while (before !== undefined && before.rank > item.rank) before = before.before
  const after = before === undefined ? list.first : before.after
  item.before = before
  item.after = after
  if (before === undefined) list.first = item
  else before.after = item
  if (after === undefined) list.last = item
  else after.before = item
}

/** Removes an item from its list. */
export function remove<T extends Ranked<T>>(list: RankedList<T>, { before, after }: T): void {
  if (before === undefined) list.first = after
  else before.after = after
  if (after === undefined) list.last = before
  else after.before = before
}
