/** An item of an order, sorted by its rank. */
export interface Ranked<T> {
  rank: number
  before: T | undefined
  after: T | undefined
}

/**
 * A linked list of items from the smallest rank to the greatest. Unless the leases of a key have several durations, the lease that is added
 * last also expires last. So an item is added at the end in one step and removed in one step, and no array is copied.
 */
export interface Order<T> {
  first: T | undefined
  last: T | undefined
}

/** Adds an item, which must not be in an order. */
export function insert<T extends Ranked<T>>(order: Order<T>, item: T): void {
  let before = order.last
  while (before !== undefined && before.rank > item.rank) before = before.before
  const after = before === undefined ? order.first : before.after
  item.before = before
  item.after = after
  if (before === undefined) order.first = item
  else before.after = item
  if (after === undefined) order.last = item
  else after.before = item
}

/** Removes an item from its order. */
export function remove<T extends Ranked<T>>(order: Order<T>, { before, after }: T): void {
  if (before === undefined) order.first = after
  else before.after = after
  if (after === undefined) order.last = before
  else after.before = before
}
