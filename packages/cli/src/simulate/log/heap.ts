interface Entry<T> {
  readonly order: number
  /** Values with equal order are popped in the order in which they were pushed. */
  readonly turn: number
  readonly value: T
}

/** A binary min-heap. */
export class Heap<T> {
  readonly #entries: Entry<T>[] = []
  #turn = 0

  get size(): number {
    return this.#entries.length
  }

  /** The least order; Infinity if the heap is empty. */
  get least(): number {
    return this.#entries.length === 0 ? Infinity : this.#entries[0].order
  }

  push(order: number, value: T): void {
    const entries = this.#entries
    const entry = { order, turn: this.#turn++, value }
    let at = entries.length
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!isBefore(entry, entries[parent])) break
      entries[at] = entries[parent]
      at = parent
    }
    entries[at] = entry
  }

  pop(): T | undefined {
    const entries = this.#entries
    const [first] = entries
    const last = entries.pop()
    if (last === undefined || entries.length === 0) return last?.value
    let at = 0
    for (let child = 1; child < entries.length; child = 2 * at + 1) {
      if (child + 1 < entries.length && isBefore(entries[child + 1], entries[child])) child++
      if (!isBefore(entries[child], last)) break
      entries[at] = entries[child]
      at = child
    }
    entries[at] = last
    return first.value
  }
}

function isBefore(a: Entry<unknown>, b: Entry<unknown>): boolean {
  return a.order < b.order || (a.order === b.order && a.turn < b.turn)
}
