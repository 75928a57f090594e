/**
 * A keyed hash of 64 bits, as two halves of 32. A table that keeps only this fingerprint of a key needs no key strings, and the
 * key of the hash, drawn anew in each process, keeps anyone outside from choosing two keys that share a bucket.
 *
 * HalfSipHash-1-3 with 64 bits of output, over the UTF-16 code units of the string: SipHash's design on words of 32 bits, which
 * are what JavaScript computes with.
 *
 * Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF" (2012), and its reference implementation.
 */
export interface KeyHash {
  /** The halves of the last hash. */
  high: number
  low: number
  hash(text: string): void
}

export function createKeyHash(k0: number, k1: number): KeyHash {
  let v0 = 0
  let v1 = 0
  let v2 = 0
  let v3 = 0

  function round(): void {
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

  function absorb(word: number): void {
    v3 ^= word
    round()
    v0 ^= word
  }

  return {
    high: 0,
    low: 0,
    hash(text) {
      v0 = k0
      v1 = k1 ^ 0xee
      v2 = k0 ^ 0x6c796765
      v3 = k1 ^ 0x74656462
      const length = text.length
      const even = length & ~1
      for (let i = 0; i < even; i += 2) {
        absorb(text.charCodeAt(i) | (text.charCodeAt(i + 1) << 16))
      }
      // The last word carries the length in bytes above what is left over.
      absorb(((length * 2) << 24) | (length > even ? text.charCodeAt(even) : 0))
      v2 ^= 0xee
      round()
      round()
      round()
      this.low = v1 ^ v3
      v1 ^= 0xdd
      round()
      round()
      round()
      this.high = v1 ^ v3
    },
  }
}
