/** Something that has its place in an order, by its rank. */
export interface Ranked<T> {
  rank: number
  before: T | undefined
  after: T | undefined
}

/**
 * Items from the least rank to the greatest, as a chain. What ends last is added last, but where leases of several lengths meet in one key:
 * so an item finds its place from the end in one step, leaves it in one, and no array is ever moved.
 */
export interface Order<T> {
  first: T | undefined
  last: T | undefined
}

/** Adds an item that is in no order. */
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

/** Takes an item out of the order that it is in. */
export function remove<T extends Ranked<T>>(order: Order<T>, { before, after }: T): void {
  if (before === undefined) order.first = after
  else before.after = after
  if (after === undefined) order.last = before
  else after.before = before
}
