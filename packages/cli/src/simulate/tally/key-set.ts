/** A set of key numbers, with one bit for each. */
export class KeySet {
  size = 0
  #bits = new Uint8Array(1024)

  /** Adds a number. Keys without a number (-1) are not counted. */
  add(number: number): void {
    if (number === -1) return
    const at = number >> 3
    if (at >= this.#bits.length) this.#grow(at)
    const bit = 1 << (number & 7)
    if ((this.#bits[at] & bit) !== 0) return
    this.#bits[at] |= bit
    this.size++
  }

  #grow(at: number): void {
    const larger = new Uint8Array(Math.max(at + 1, this.#bits.length * 2))
    larger.set(this.#bits)
    this.#bits = larger
  }
}
