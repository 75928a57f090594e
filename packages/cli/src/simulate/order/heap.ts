/** A binary min-heap. Values with equal order are popped in the order in which they were pushed. */
export class Heap<T> {
  readonly #orders: number[] = []
  readonly #turns: number[] = []
  readonly #values: T[] = []
  #turn = 0

  get size(): number {
    return this.#values.length
  }

  /** The least order; Infinity if the heap is empty. */
  get least(): number {
    return this.#values.length === 0 ? Infinity : this.#orders[0]
  }

  push(order: number, value: T): void {
    let at = this.#values.length
    this.#orders.push(order)
    this.#turns.push(this.#turn++)
    this.#values.push(value)
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!this.#isBefore(at, parent)) return
      this.#swap(at, parent)
      at = parent
    }
  }

  pop(): T | undefined {
    const last = this.#values.length - 1
    if (last < 0) return undefined
    this.#swap(0, last)
    this.#orders.pop()
    this.#turns.pop()
    const value = this.#values.pop()
    this.#sink(last)
    return value
  }

  #sink(size: number): void {
    let at = 0
    for (;;) {
      const left = 2 * at + 1
      if (left >= size) return
      const right = left + 1
      const child = right < size && this.#isBefore(right, left) ? right : left
      if (!this.#isBefore(child, at)) return
      this.#swap(at, child)
      at = child
    }
  }

  #isBefore(a: number, b: number): boolean {
    const difference = this.#orders[a] - this.#orders[b]
    return difference < 0 || (difference === 0 && this.#turns[a] < this.#turns[b])
  }

  #swap(a: number, b: number): void {
    swap(this.#orders, a, b)
    swap(this.#turns, a, b)
    swap(this.#values, a, b)
  }
}

function swap(list: unknown[], a: number, b: number): void {
  const kept = list[a]
  list[a] = list[b]
  list[b] = kept
}
