/** Thrown by a reader, and caught by `readBytes`. */
const damaged = new RangeError('the bytes are cut or damaged')

/** Writes whole numbers and texts into bytes, as small as their values. */
export class ByteWriter {
  readonly #bytes: number[] = []

  /**
   * Writes a whole number from 0 to 2^53 - 1: seven bits in each byte, the lowest first.
   *
   * @throws RangeError for any other number
   */
  number(value: number): void {
    if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} has no bytes`)
    let rest = value
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#bytes.push((rest % 128) + 128)
    this.#bytes.push(rest)
  }

  /** Writes a text of any characters, including lone surrogates, which have no UTF-8 form. */
  text(value: string): void {
    const isWide = /[^\0-\xff]/.test(value)
    this.number(value.length * 2 + (isWide ? 1 : 0))
    for (let i = 0; i < value.length; i++) {
      const unit = value.charCodeAt(i)
      this.#bytes.push(unit % 256)
      if (isWide) this.#bytes.push(Math.floor(unit / 256))
    }
  }

  bytes(value: Uint8Array): void {
    this.number(value.length)
    for (const byte of value) this.#bytes.push(byte)
  }

  /** All that was written. */
  get written(): Uint8Array {
    return new Uint8Array(this.#bytes)
  }
}

/** Reads in the same order. Each method throws if the bytes end, or are not those of a writer. */
export class ByteReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  number(): number {
    let value = 0
    for (let weight = 1; weight < Number.MAX_SAFE_INTEGER; weight *= 128) {
      const byte = this.#next()
      value += (byte % 128) * weight
      if (byte < 128) {
        if (value > Number.MAX_SAFE_INTEGER) throw damaged
        return value
      }
    }
    throw damaged
  }

  text(): string {
    const size = this.number()
    const isWide = size % 2 === 1
    let text = ''
    for (let left = Math.floor(size / 2); left > 0; left--) {
      const low = this.#next()
      text += String.fromCharCode(isWide ? low + 256 * this.#next() : low)
    }
    return text
  }

  bytes(): Uint8Array {
    const length = this.number()
    const end = this.#at + length
    if (end > this.#bytes.length) throw damaged
    const found = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return found
  }

  #next(): number {
    if (this.isAtEnd) throw damaged
    return this.#bytes[this.#at++]
  }
}

/** Reads all of the bytes. Undefined if they are cut or damaged. */
export function readBytes<T>(
  bytes: Uint8Array,
  read: (reader: ByteReader) => T | undefined,
): T | undefined {
  const reader = new ByteReader(bytes)
  try {
    const value = read(reader)
    return reader.isAtEnd ? value : undefined
  } catch (error) {
    if (error === damaged) return undefined
    throw error
  }
}
