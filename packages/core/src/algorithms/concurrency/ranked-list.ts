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
export function moveTo<T extends Ranked<T>>(rank: number, item: T, list: RankedList<T>): void {
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
export function remove<T extends Ranked<T>>(list: RankedList<T>, item: T): void {
  const { before, after } = item
  if (before === undefined && list.first !== item) return
  if (before === undefined) list.first = after
  else before.after = after
  if (after === undefined) list.last = before
  else after.before = before
}

export function itemsOf<T extends Ranked<T>>({ first }: RankedList<T>): readonly T[] {
  const items: T[] = []
  for (let item = first; item !== undefined; item = item.after) items.push(item)
  return items
}
