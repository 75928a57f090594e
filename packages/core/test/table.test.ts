import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTable, type Table } from '../src/stores/memory/table.js'

interface Written {
  readonly row: number[]
  readonly ends: number
  readonly spent: boolean
  readonly body: unknown
}

interface Operation {
  readonly remove: boolean
  readonly high: number
  readonly low: number
  readonly written: Written
}

const width = 3

// Few different halves, at both ends of the table: rows crowd, wrap around, and share one half of their fingerprint.
const half = fc.oneof(
  fc.constantFrom(-1, 0, 1, 2, 13, 14, 15, 16, 31, 0x7fff_ffff, -0x8000_0000),
  fc.integer({ min: -0x8000_0000, max: 0x7fff_ffff }),
)
const operation: fc.Arbitrary<Operation> = fc.record({
  remove: fc.boolean(),
  high: fc.constantFrom(0, 1),
  low: half,
  written: fc.record({
    row: fc.array(fc.maxSafeNat(), { minLength: width, maxLength: width }),
    ends: fc.integer({ min: 1, max: 1e13 }),
    spent: fc.boolean(),
    body: fc.constantFrom(undefined, 'a', 'b'),
  }),
})

test('keeps what was written last under each fingerprint, its body included, through growth and removal', () => {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 150 }), (operations) => {
      const table = createTable(width, true)
      const model = new Map<string, Written>()
      for (const operation of operations) {
        apply(operation, table, model)
        expect(contents(table, operations)).toEqual(model)
        expect(takenPlaces(table)).toBe(model.size)
        expect(table.size).toBe(model.size)
      }
    }),
    { numRuns: 150 },
  )
})

test('grows before it is full, and keeps everything', () => {
  const table = createTable(1)
  for (let i = 1; i <= 1000; i++) table.write(i, i * 31, [i], i, i % 2 === 0, undefined)
  const read = Array.from({ length: 1000 }, (_, i) => {
    const place = table.find(i + 1, (i + 1) * 31)
    return [table.read(place), table.endsAt(place), table.nextUnspent(place) !== place]
  })
  expect(read).toEqual(Array.from({ length: 1000 }, (_, i) => [[i + 1], i + 1, i % 2 === 1]))
  expect([table.size, table.places]).toEqual([1000, 2048])
})

test('finds the next row that has quota to spend, round the end, or none', () => {
  const table = createTable(1)
  const placeOf = (key: number): number => table.find(key, key)
  for (let key = 1; key <= 8; key++) table.write(key, key, [key], key, true, undefined)
  expect(table.nextUnspent(0)).toBe(-1)
  table.write(3, 3, [3], 3, false, undefined)
  table.write(6, 6, [6], 6, false, undefined)
  expect(table.nextUnspent(placeOf(3) + 1)).toBe(placeOf(6))
  expect(table.nextUnspent(placeOf(6) + 1)).toBe(placeOf(3))
  table.remove(placeOf(3))
  table.write(6, 6, [6], 6, true, undefined)
  expect(table.nextUnspent(0)).toBe(-1)
})

test('has no row for a fingerprint that was never written', () => {
  const table = createTable(2)
  table.write(1, 5, [1, 2], 10, false, undefined)
  expect([table.find(2, 5), table.find(1, 21), table.find(5, 1)]).toEqual([-1, -1, -1])
})

test('reads a copy: changing it changes nothing in the table', () => {
  const table = createTable(2)
  table.write(1, 1, [1, 2], 10, false, undefined)
  table.read(table.find(1, 1))[0] = 99
  expect(table.read(table.find(1, 1))).toEqual([1, 2])
})

test('a key that was never seen has a row of zeros', () => {
  expect(createTable(3).blank()).toEqual([0, 0, 0])
})

function apply(
  { remove, high, low, written }: Operation,
  table: Table,
  model: Map<string, Written>,
) {
  const name = `${high} ${low}`
  if (!remove) {
    table.write(high, low, written.row, written.ends, written.spent, written.body)
    model.set(name, written)
  } else if (model.delete(name)) {
    table.remove(table.find(high, low))
  }
}

function contents(table: Table, operations: readonly Operation[]): Map<string, Written> {
  const found = new Map<string, Written>()
  for (const { high, low } of operations) {
    const place = table.find(high, low)
    if (place === -1) continue
    found.set(`${high} ${low}`, {
      row: table.read(place),
      ends: table.endsAt(place),
      spent: table.nextUnspent(place) !== place,
      body: table.bodyAt(place),
    })
  }
  return found
}

function takenPlaces(table: Table): number {
  let taken = 0
  for (let place = 0; place < table.places; place++) if (table.endsAt(place) !== 0) taken++
  return taken
}
