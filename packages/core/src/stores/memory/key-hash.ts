import { withProcess } from '../../runtime.js'

/**
 * A keyed hash of 64 bits, as two halves of 32 bits. A table keeps only this fingerprint and no key strings. The key of the hash is random in each
 * process, so that a client cannot find two limiter keys with the same fingerprint.
 *
 * It is HalfSipHash-1-3 with 64 bits of output: SipHash with words of 32 bits, the size of JavaScript's integer operations. It hashes the Latin-1
 * bytes of a text. If the text has characters outside of Latin-1, it hashes the UTF-16 bytes and a mark in the last word, so that different texts are
 * always different inputs.
 *
 * Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF" (2012), and its reference implementation.
 */
export class KeyHash {
  /** The halves of the last hash. */
  high = 0
  low = 0
  /** The last text. While one client sends many requests in a row, its key is hashed once. */
  #last: string | undefined
  #k0 = 0
  #k1 = 0
  /** The first hashes, because one takes microseconds until V8 has compiled the function. Undefined after them. */
  #first: Map<string, Fingerprint> | undefined = new Map()
  readonly #drawKey: () => Int32Array

  /** @param drawKey returns the two words of the key, for the first text and not before */
  constructor(drawKey: () => Int32Array) {
    this.#drawKey = drawKey
  }

  hash(text: string): void {
    if (text === this.#last) return
    if (this.#first === undefined) this.#hash(text)
    else this.#hashOnce(text, this.#first)
  }

  #hashOnce(text: string, first: Map<string, Fingerprint>): void {
    const known = first.get(text)
    if (known === undefined) {
      this.#hash(text)
      const { high, low } = this
      if (first.size < mostFirst) first.set(text, { high, low })
      else this.#first = undefined
      return
    }
    this.high = known.high
    this.low = known.low
    this.#last = text
  }

  // This runs for each key of each decision. The round is written twice, because a function for it could not keep the four words in registers.
  #hash(text: string): void {
    if (this.#last === undefined) this.#begin()
    this.#last = text
    const count = readLatin(text) || readWide(text)
    // Without `| 0` V8 does not know that the field is an integer, and the hash takes twice as long.
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

  #begin(): void {
    const [k0, k1] = this.#drawKey()
    this.#k0 = k0
    this.#k1 = k1
  }
}

interface Fingerprint {
  readonly high: number
  readonly low: number
}

const mostFirst = 1000

/** A hash with a random key. */
export function newKeyHash(): KeyHash {
  // Not drawn at once, because some runtimes have no random numbers while a module loads.
  return new KeyHash(drawKey)
}

function drawKey(): Int32Array {
  return withProcess(readRandomDevice) ?? crypto.getRandomValues(new Int32Array(2))
}

/** The random numbers of the operating system. Node's own modules for them take milliseconds to load. Undefined or an error if there is no such file. */
function readRandomDevice({ versions, getBuiltinModule }: NodeJS.Process): Int32Array | undefined {
  // Deno asks its user before it opens a file, and both load their own cryptography faster.
  if (versions['deno'] !== undefined || versions['bun'] !== undefined) return undefined
  const files = getBuiltinModule('node:fs')
  const device = files.openSync('/dev/urandom', 'r')
  try {
    const key = new Int32Array(2)
    return files.readSync(device, key) === key.byteLength ? key : undefined
  } finally {
    files.closeSync(device)
  }
}

/** The words of the current text. The array is large enough for the longest key. */
const words = new Int32Array(1024)

/** Reads the Latin-1 bytes of a text, and returns the number of words; 0 if the text has characters outside of Latin-1. */
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

/**
 * A bit of the last word. A Latin-1 text and a UTF-16 text with the same number of bytes never have more than two remaining bytes, so neither uses the
 * third byte of the last word.
 */
const wideMark = 1 << 16

/** Reads the UTF-16 bytes of a text, and returns the number of words. */
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
