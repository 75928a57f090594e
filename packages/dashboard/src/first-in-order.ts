/** The first items of a list in an order. For a few of many items it is less work than to sort them all. */
export function firstInOrder<T>(
  items: readonly T[],
  most: number,
  compare: (a: T, b: T) => number,
): readonly T[] {
  const first: T[] = []
  for (const item of items) {
    if (first.length >= most) {
      if (most === 0 || compare(item, first[most - 1]) >= 0) continue
      first.pop()
    }
    let at = first.length
    while (at > 0 && compare(item, first[at - 1]) < 0) at--
    first.splice(at, 0, item)
  }
  return first
}
