import type { Slices } from './slices.js'

/**
 * The fewest items without which the others are in their earlier order. An item without an earlier position is new and has not moved.
 *
 * @param positionOf the earlier position of an item
 */
export function* movedItems<T>(
  items: Iterable<T>,
  positionOf: (item: T) => number | undefined,
): Slices<readonly T[]> {
  const known: T[] = []
  // The longest increasing subsequence: of all sequences of n + 1 items in their earlier order, ends[n] has the first last position.
  const ends: End<T>[] = []
  for (const item of items) {
    yield
    const position = positionOf(item)
    if (position === undefined) continue
    known.push(item)
    const length = countBefore(ends, position)
    ends[length] = { item, position, before: ends[length - 1] }
  }
  const staying = new Set<T>()
  for (let end = ends.at(-1); end !== undefined; end = end.before) staying.add(end.item)
  return known.filter((item) => !staying.has(item))
}

interface End<T> {
  readonly item: T
  readonly position: number
  readonly before: End<T> | undefined
}

function countBefore(ends: readonly End<unknown>[], position: number): number {
  let [low, high] = [0, ends.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (ends[middle].position < position) low = middle + 1
    else high = middle
  }
  return low
}
