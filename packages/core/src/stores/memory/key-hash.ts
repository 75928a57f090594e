/**
 * A keyed hash of 64 bits, as two halves of 32. A table that keeps only this fingerprint of a key needs no key strings, and the
 * key of the hash, drawn anew in each process, keeps anyone outside from choosing two keys that share a bucket.
 *
 * HalfSipHash-1-3 with 64 bits of output: SipHash's design on words of 32 bits, which are what JavaScript computes with. A text is hashed as
 * the bytes of its Latin-1 form; one that has no such form as those of its UTF-16 form and a mark in its last word, so that no two texts are
 * the same bytes.
 *
 * Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF" (2012), and its reference implementation.
 */
export class KeyHash {
  /** The halves of the last hash. */
  high = 0
  low = 0
  readonly #k0: number
  readonly #k1: number

  constructor(k0: number, k1: number) {
    this.#k0 = k0
    this.#k1 = k1
  }

  // For every key of every decision: the round stands here twice, because as a function of its own its four words would leave the registers.
  hash(text: string): void {
    const count = readLatin(text) || readWide(text)
    // Without `| 0` the compiler takes it for any value, and the hash takes twice as long.
    let v0 = this.#k0 | 0
    let v1 = this.#k1 ^ 0xee
    let v2 = this.#k0 ^ 0x6c796765
    let v3 = this.#k1 ^ 0x74656462
    for (let i = 0; i < count; i++) {
      const word = words[i]
      v3 ^= word
      v0 = (v0 + v1) | 0
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
      v0 = (v0 << 16) | (v0 >>> 16)
      v2 = (v2 + v3) | 0
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
      v0 = (v0 + v3) | 0
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
      v2 = (v2 + v1) | 0
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
      v2 = (v2 << 16) | (v2 >>> 16)
      v0 ^= word
    }
    v2 ^= 0xee
    for (let i = 0; i < 6; i++) {
      if (i === 3) {
        this.low = v1 ^ v3
        v1 ^= 0xdd
      }
      v0 = (v0 + v1) | 0
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
      v0 = (v0 << 16) | (v0 >>> 16)
      v2 = (v2 + v3) | 0
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
      v0 = (v0 + v3) | 0
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
      v2 = (v2 + v1) | 0
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
      v2 = (v2 << 16) | (v2 >>> 16)
    }
    this.high = v1 ^ v3
  }
}

/** One whose key nobody knows. */
export function newKeyHash(): KeyHash {
  const [k0, k1] = crypto.getRandomValues(new Int32Array(2))
  return new KeyHash(k0, k1)
}

/** The words of the text that is hashed: as many as the longest text can have. */
const words = new Int32Array(1024)

/** Reads the bytes of the Latin-1 form, and tells how many words they are: 0 where the text has no such form. */
function readLatin(text: string): number {
  const { length } = text
  let count = 0
  let at = 0
  let widest = 0
  for (; at + 3 < length; at += 4) {
    const a = text.charCodeAt(at)
    const b = text.charCodeAt(at + 1)
    const c = text.charCodeAt(at + 2)
    const d = text.charCodeAt(at + 3)
    widest |= a | b | c | d
    words[count++] = a | (b << 8) | (c << 16) | (d << 24)
  }
  let last = length << 24
  for (let shift = 0; at < length; at++, shift += 8) {
    const code = text.charCodeAt(at)
    widest |= code
    last |= code << shift
  }
  words[count++] = last
  return widest > 255 ? 0 : count
}

/** In the last word, a byte that is free in both forms where they are equally long: what is left over never takes more than two there. */
const wideMark = 1 << 16

/** The same of the UTF-16 form. */
function readWide(text: string): number {
  const { length } = text
  let count = 0
  let at = 0
  for (; at + 1 < length; at += 2) {
    words[count++] = text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16)
  }
  words[count++] = (length << 25) | wideMark | (at < length ? text.charCodeAt(at) : 0)
  return count
}
