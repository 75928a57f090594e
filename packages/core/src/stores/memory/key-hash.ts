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

const finalRounds = 3

export function createKeyHash(k0: number, k1: number): KeyHash {
  return {
    high: 0,
    low: 0,
    // One loop holds the only copy of the round, so that the four words stay in registers: this runs for every key of every decision.
    hash(text) {
      let v0 = k0
      let v1 = k1 ^ 0xee
      let v2 = k0 ^ 0x6c796765
      let v3 = k1 ^ 0x74656462
      const words = text.length >> 1
      for (let i = 0; i <= words + 2 * finalRounds; i++) {
        let word = 0
        if (i < words) word = text.charCodeAt(2 * i) | (text.charCodeAt(2 * i + 1) << 16)
        else if (i === words) word = lastWord(text)
        else if (i === words + 1) v2 ^= 0xee
        else if (i === words + 1 + finalRounds) {
          this.low = v1 ^ v3
          v1 ^= 0xdd
        }
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
      this.high = v1 ^ v3
    },
  }
}

/** The length in bytes, above the code unit that is left over where their number is odd. */
function lastWord(text: string): number {
  const odd = text.length & 1
  return ((text.length * 2) << 24) | (odd === 1 ? text.charCodeAt(text.length - 1) : 0)
}
