import fs from 'node:fs'
import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createLimiter, fixedWindow } from '../../../src/index.js'
import { KeyHash, newKeyHash } from '../../../src/stores/memory/key-hash.js'

// HalfSipHash as specified, on bytes and bigints: slow, and independent of the implementation.

const word = 0xffff_ffffn

interface Rounds {
  readonly compression: number
  readonly finalization: number
}

/** @param mark bits of the last word that the specification leaves 0 */
function halfSipHash64(key: Uint8Array, bytes: Uint8Array, rounds: Rounds, mark = 0n): Uint8Array {
  const k0 = littleEndian(key, 0, 4)
  const k1 = littleEndian(key, 4, 4)
  const v = [k0, k1 ^ 0xeen, k0 ^ 0x6c79_6765n, k1 ^ 0x7465_6462n]
  const whole = bytes.length - (bytes.length % 4)
  for (let at = 0; at < whole; at += 4) compress(littleEndian(bytes, at, 4))
  const rest = littleEndian(bytes, whole, bytes.length - whole)
  compress((BigInt(bytes.length % 256) << 24n) | mark | rest)
  v[2] ^= 0xeen
  mix(rounds.finalization)
  const first = v[1] ^ v[3]
  v[1] ^= 0xddn
  mix(rounds.finalization)
  return toBytes(first, v[1] ^ v[3])

  function compress(message: bigint): void {
    v[3] ^= message
    mix(rounds.compression)
    v[0] ^= message
  }

  function mix(times: number): void {
    for (let i = 0; i < times; i++) {
      v[0] = (v[0] + v[1]) & word
      v[1] = rotate(v[1], 5n) ^ v[0]
      v[0] = rotate(v[0], 16n)
      v[2] = (v[2] + v[3]) & word
      v[3] = rotate(v[3], 8n) ^ v[2]
      v[0] = (v[0] + v[3]) & word
      v[3] = rotate(v[3], 7n) ^ v[0]
      v[2] = (v[2] + v[1]) & word
      v[1] = rotate(v[1], 13n) ^ v[2]
      v[2] = rotate(v[2], 16n)
    }
  }
}

function rotate(value: bigint, by: bigint): bigint {
  return ((value << by) | (value >> (32n - by))) & word
}

function littleEndian(bytes: Uint8Array, from: number, count: number): bigint {
  let value = 0n
  for (let i = count - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[from + i])
  return value
}

function toBytes(low: bigint, high: bigint): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, (high << 32n) | low, true)
  return bytes
}

/** The hash of the implementation, in the byte order of the specification. */
function keyHash(key: Uint8Array, text: string): Uint8Array {
  const view = new DataView(key.buffer)
  const hash = new KeyHash(() => Int32Array.of(view.getInt32(0, true), view.getInt32(4, true)))
  hash.hash(text)
  return toBytes(BigInt(hash.low >>> 0), BigInt(hash.high >>> 0))
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

const countingKey = Uint8Array.from({ length: 8 }, (_, i) => i)
const anyKey = fc.uint8Array({ minLength: 8, maxLength: 8 })
const latin = fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code))
const latinText = fc.string({ unit: latin, maxLength: 300 })
const wideText = fc
  .string({ unit: 'binary', maxLength: 300 })
  .filter((text) => /[^\0-\xff]/.test(text))

test.each([
  [0, '218d1f59b9b83cc8'],
  [1, 'be552412f8387315'],
  [3, 'ce0f1a45f7060679'],
  [4, 'd5e78a175be52ea1'],
  [7, 'ff202728b07bc684'],
  [8, 'edfee820bce4858c'],
])('the reference gives the published HalfSipHash-2-4 of %i bytes', (length, published) => {
  const bytes = Uint8Array.from({ length }, (_, i) => i)
  const rounds = { compression: 2, finalization: 4 }
  expect(hex(halfSipHash64(countingKey, bytes, rounds))).toBe(published)
})

const rounds = { compression: 1, finalization: 3 }

test('the hash of a Latin-1 text is HalfSipHash-1-3 over its Latin-1 bytes', () => {
  fc.assert(
    fc.property(anyKey, latinText, (key, text) => {
      const bytes = Buffer.from(text, 'latin1')
      expect(hex(keyHash(key, text))).toBe(hex(halfSipHash64(key, bytes, rounds)))
    }),
    {
      examples: [
        [countingKey, ''],
        [countingKey, 'a'],
        [countingKey, 'é'.repeat(200)],
      ],
    },
  )
})

test('the hash of any other text is over its UTF-16LE bytes, with a bit in the last word that no Latin-1 text of that length has', () => {
  fc.assert(
    fc.property(anyKey, wideText, (key, text) => {
      const bytes = Buffer.from(text, 'utf16le')
      expect(hex(keyHash(key, text))).toBe(hex(halfSipHash64(key, bytes, rounds, 1n << 16n)))
    }),
    {
      examples: [
        [countingKey, '\ud800'],
        [countingKey, 'abc\u0100'],
        [countingKey, '😀'.repeat(100)],
      ],
    },
  )
})

test('a text and the Latin-1 text of the same bytes have different hashes', () => {
  const wide = '\u4241\u4443'
  expect(hex(keyHash(countingKey, wide))).not.toBe(hex(keyHash(countingKey, 'ABCD')))
})

test('two lone surrogates have different hashes', () => {
  expect(hex(keyHash(countingKey, '\ud800'))).not.toBe(hex(keyHash(countingKey, '\ud801')))
})

test('one changed bit of a text changes each bit of the hash about half of the time', () => {
  const trials = 4096
  const flips = Array.from({ length: 64 }, () => 0)
  for (let i = 0; i < trials; i++) {
    const text = `client-${i}`
    const at = i % text.length
    const bit = 1 << (i % 16)
    const changed =
      text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ bit) + text.slice(at + 1)
    const difference =
      Buffer.from(keyHash(countingKey, text)).readBigUInt64LE() ^
      Buffer.from(keyHash(countingKey, changed)).readBigUInt64LE()
    for (let j = 0; j < 64; j++) flips[j] += Number((difference >> BigInt(j)) & 1n)
  }
  // For random bits, the chance of such a difference is one in ten million. The inputs are fixed.
  expect(flips.filter((count) => Math.abs(count - trials / 2) > 170)).toEqual([])
})

test('two keys of the hash give different hashes of one text', () => {
  const hashes = new Set<string>()
  for (let i = 0; i < 1000; i++) {
    const key = new Uint8Array(8)
    new DataView(key.buffer).setUint32(i % 2 === 0 ? 0 : 4, i)
    hashes.add(hex(keyHash(key, 'client')))
  }
  expect(hashes.size).toBe(1000)
})

test('no two of a hundred thousand addresses share a hash', () => {
  const hash = new KeyHash(() => Int32Array.of(0x0302_0100, 0x0706_0504))
  const hashes = new Set<string>()
  for (let i = 0; i < 100_000; i++) {
    hash.hash(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`)
    hashes.add(`${hash.high} ${hash.low}`)
  }
  expect(hashes.size).toBe(100_000)
})

test('a text has the same hash again, among the first texts of a process and later', () => {
  const draw = () => Int32Array.of(0x0302_0100, 0x0706_0504)
  const hash = new KeyHash(draw)
  for (let i = 0; i < 3000; i++) {
    const text = `client-${i % 1200}`
    hash.hash(text)
    const other = new KeyHash(draw)
    other.hash(text)
    expect([hash.high, hash.low]).toEqual([other.high, other.low])
  }
})

function devicesOpened(): { count(): number } {
  const open = vi.spyOn(fs, 'openSync')
  onTestFinished(() => open.mockRestore())
  return { count: () => open.mock.calls.filter(([path]) => path === '/dev/urandom').length }
}

test('a random key is drawn for the first text, and not when a limiter is created', () => {
  const opened = devicesOpened()
  const policies = fixedWindow({ limit: 5, window: '1m' })
  const limiter = createLimiter({ name: 'api', policies })
  expect(opened.count()).toBe(0)
  limiter.consume('a')
  // One for the keys, and one for the names of policies.
  expect(opened.count()).toBe(2)
  limiter.consume('b')
  expect(opened.count()).toBe(2)
})

test('without the file of the operating system, the key is drawn by the cryptography of the runtime', () => {
  const open = vi.spyOn(fs, 'openSync').mockImplementation(() => {
    throw new Error('ENOENT')
  })
  const draw = vi.spyOn(globalThis.crypto, 'getRandomValues')
  onTestFinished(() => [open, draw].forEach((spy) => spy.mockRestore()))
  const hashes = Array.from({ length: 2 }, () => {
    const hash = newKeyHash()
    hash.hash('client')
    return hash.high
  })
  expect(draw).toHaveBeenCalledTimes(2)
  expect(hashes[0]).not.toBe(hashes[1])
})
