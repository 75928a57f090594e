import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '@sluice/test-kit/random'
import {
  packStates,
  readStates,
  type StoredState,
} from '../../../src/stores/database/state-bytes.js'

const start = 1_763_683_200_000

const window: StoredState = {
  name: 'minute',
  id: 1,
  row: [start, 5],
  endsAt: start + 60_000,
  records: undefined,
}

const log: StoredState = {
  name: 'default',
  id: 7,
  row: [start, 300, 0, 0, 2, 0],
  endsAt: start + 1000,
  records: Uint8Array.of(0, 127, 128, 255),
}

/** Stored rows outlive the process that wrote them, so these bytes must not change without another layout. */
test.each([
  [
    'a row',
    [window],
    ['01', '0c6d696e757465', '01', 'e0acdb9daa33', '02', '80d8d79daa33', '05', '00'],
  ],
  [
    'the unnamed policy, with records',
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
    [{ name: 'Ω', id: 300, row: [2 ** 53 - 1], endsAt: 0, records: undefined }],
    ['01', '03a903', 'ac02', '00', '01', 'ffffffffffffff0f', '00'],
  ],
])('packs %s into the bytes of this layout', (_, states, fields) => {
  const bytes = bytesOf(fields.join(''))
  expect(packStates(states)).toEqual(bytes)
  expect(readStates(bytes)).toEqual(states)
})

const cell = fc.oneof(fc.nat(), fc.maxSafeNat())
const state: fc.Arbitrary<StoredState> = fc.record({
  name: fc.string({ unit: 'binary', minLength: 1, maxLength: 64 }),
  id: fc.integer({ min: 1, max: 400 }),
  row: fc.array(cell, { maxLength: 8 }),
  endsAt: fc.maxSafeNat(),
  records: fc.option(fc.uint8Array({ minLength: 1, maxLength: 300 }), { nil: undefined }),
})

test('reads the states that were packed', () => {
  fc.assert(
    fc.property(fc.array(state, { minLength: 1, maxLength: 4 }), (states) => {
      expect(readStates(packStates(states))).toEqual(states)
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

test('reads no state of a row that is cut, except between two states', () => {
  const [first, both] = [packStates([window]), packStates([window, log])]
  for (let length = 0; length < both.length; length++) {
    const read = readStates(both.subarray(0, length))
    expect(read).toEqual(length === first.length ? [window] : undefined)
  }
})

test('reads states of whole numbers, or none, however a row is damaged', () => {
  const packed = packStates([log, window])
  for (let at = 0; at < packed.length; at++) {
    for (let value = 0; value < 256; value++) {
      const read = readStates(packed.with(at, value))
      const areWhole = read?.every(({ id, endsAt, row }) => [id, endsAt].concat(row).every(isWhole))
      expect(areWhole ?? true).toBe(true)
    }
  }
  expect(readStates(packed.with(0, 2))).toBe(undefined)
})

test.each([
  ['a number that JavaScript rounds', 'ffffffffffffff1f'],
  ['a number without an end', 'ffffffffffffffffff00'],
  ['more cells than bytes', 'ffffffffffff07'],
])('cannot read %s', (_, hex) => {
  expect(readStates(bytesOf(`01000100${hex}`))).toBe(undefined)
})

test.each([[-1], [0.5], [2 ** 53], [NaN], [Infinity]])('refuses to pack %d', (cell) => {
  expect(() => packStates([{ ...window, row: [cell] }])).toThrow(RangeError)
})

function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex, 'hex'))
}

function isWhole(number: number): boolean {
  return Number.isSafeInteger(number) && number >= 0
}
