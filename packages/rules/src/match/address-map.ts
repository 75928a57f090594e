import { lastUpTo, rangeOrder, type Range } from '@sluice/core/http'

interface Nested<T> extends Range {
  readonly values: T[]
  /** The narrowest range around this one. */
  readonly around: Nested<T> | undefined
}

/** Values by ranges of addresses. A search takes a binary search, and one step for each level of nesting. */
export class AddressMap<T> {
  readonly #ranges: Nested<T>[] = []

  constructor(entries: Iterable<readonly [Range, T]>) {
    let around: Nested<T> | undefined
    for (const [range, value] of [...entries].sort(([a], [b]) => rangeOrder(a, b))) {
      // Two CIDR ranges are nested or disjoint.
      while (around !== undefined && range.first > around.last) around = around.around
      if (around?.first === range.first && around.last === range.last) {
        around.values.push(value)
      } else {
        around = { first: range.first, last: range.last, values: [value], around }
        this.#ranges.push(around)
      }
    }
  }

  /** The values of all ranges that contain the address, of the narrowest range first. */
  valuesOf(key: string): readonly T[] {
    const found: T[] = []
    let range = lastUpTo(this.#ranges, key)
    for (; range !== undefined; range = range.around) {
      if (key <= range.last) found.push(...range.values)
    }
    return found
  }
}
