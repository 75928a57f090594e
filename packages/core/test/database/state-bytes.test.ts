import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../conformance/src/random.js'
import { packState, readState, type Part } from '../../src/stores/database/state-bytes.js'

const start = 1_763_683_200_000

const window: Part = {
  name: 'minute',
  id: 1,
  row: [start, 5],
  ends: start + 60_000,
  body: undefined,
}

const log: Part = {
  name: 'default',
  id: 7,
  row: [start, 300, 0, 0, 2, 0],
  ends: start + 1000,
  body: Uint8Array.of(0, 127, 128, 255),
}

/** Stored rows outlive the process that wrote them, so these bytes must not change without another layout. */
test.each([
  [
    'a row',
    [window],
    ['01', '0c6d696e757465', '01', 'e0acdb9daa33', '02', '80d8d79daa33', '05', '00'],
  ],
  [
    'the unnamed policy, with a body',
    [log],
    [
      '01',
      '00',
      '07',
      'e8dfd79daa33',
      '06',
      '80d8d79daa33',
      'ac02',
      '00',
      '00',
      '02',
      '00',
      '04007f80ff',
    ],
  ],
  [
    'a name outside of Latin-1, and the largest number',
    [{ name: 'Ω', id: 300, row: [2 ** 53 - 1], ends: 0, body: undefined }],
    ['01', '03a903', 'ac02', '00', '01', 'ffffffffffffff0f', '00'],
  ],
])('packs %s into the bytes of this layout', (_, parts, fields) => {
  const bytes = bytesOf(fields.join(''))
  expect(packState(parts)).toEqual(bytes)
  expect(readState(bytes)).toEqual(parts)
})

const cell = fc.oneof(fc.nat(), fc.maxSafeNat())
const part: fc.Arbitrary<Part> = fc.record({
  name: fc.string({ unit: 'binary', minLength: 1, maxLength: 64 }),
  id: fc.integer({ min: 1, max: 400 }),
  row: fc.array(cell, { maxLength: 8 }),
  ends: fc.maxSafeNat(),
  body: fc.option(fc.uint8Array({ minLength: 1, maxLength: 300 }), { nil: undefined }),
})

test('reads the parts that were packed', () => {
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
      expect(readState(packState(parts))).toEqual(parts)
    }),
    {
      numRuns: runs(500),
      // Lone surrogates have no UTF-8 form.
      examples: [
        [
          [
            { ...window, name: '\ud800' },
            { ...window, name: '\udc00' },
          ],
        ],
      ],
    },
  )
})

test('reads no part of a state that is cut, except between two parts', () => {
  const [first, both] = [packState([window]), packState([window, log])]
  for (let length = 0; length < both.length; length++) {
    const read = readState(both.subarray(0, length))
    expect(read).toEqual(length === first.length ? [window] : undefined)
  }
})

test('reads parts of whole numbers, or none, however a state is damaged', () => {
  const packed = packState([log, window])
  for (let at = 0; at < packed.length; at++) {
    for (let value = 0; value < 256; value++) {
      const read = readState(packed.with(at, value))
      const areWhole = read?.every(({ id, ends, row }) => [id, ends].concat(row).every(isWhole))
      expect(areWhole ?? true).toBe(true)
    }
  }
  expect(readState(packed.with(0, 2))).toBe(undefined)
})

test.each([
  ['a number that JavaScript rounds', 'ffffffffffffff1f'],
  ['a number without an end', 'ffffffffffffffffff00'],
  ['more cells than bytes', 'ffffffffffff07'],
])('cannot read %s', (_, hex) => {
  expect(readState(bytesOf(`01000100${hex}`))).toBe(undefined)
})

test.each([[-1], [0.5], [2 ** 53], [NaN], [Infinity]])('refuses to pack %d', (cell) => {
  expect(() => packState([{ ...window, row: [cell] }])).toThrow(RangeError)
})

function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex, 'hex'))
}

function isWhole(number: number): boolean {
  return Number.isSafeInteger(number) && number >= 0
}
