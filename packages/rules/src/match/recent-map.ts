/**
 * A bounded cache of the entries that were used last: at least half of its bound, and at most its bound. It has two generations instead of an exact
 * order of use, so that a read of a recent entry is one lookup.
 */
export class RecentMap<K, V> {
  readonly #half: number
  #young = new Map<K, V>()
  #old = new Map<K, V>()

  constructor(bound: number) {
    this.#half = Math.max(1, bound >> 1)
  }

  get size(): number {
    return this.#young.size + this.#old.size
  }

  get(key: K): V | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old !== undefined) {
      this.#old.delete(key)
      this.set(key, old)
    }
    return old
  }

  set(key: K, value: V): void {
    this.#young.set(key, value)
    if (this.#young.size <= this.#half) return
    this.#old = this.#young
    this.#young = new Map()
  }
}
