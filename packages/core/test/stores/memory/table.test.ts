import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '@sluice/test-kit/random'
import { mostRows, type Segment } from '../../../src/stores/memory/segment.js'
import { Table } from '../../../src/stores/memory/table.js'

interface Written {
  readonly row: number[]
  readonly ends: number
  readonly spent: boolean
  readonly records: unknown
}

interface Operation {
  readonly type: 'write' | 'remove' | 'sweep'
  readonly high: number
  readonly low: number
  readonly written: Written
}

const width = 3

// Few different halves, so that rows collide in the index, wrap around its end, and share one half of their fingerprints.
const half = fc.oneof(
  fc.constantFrom(-1, 0, 1, 2, 13, 14, 15, 16, 31, 0x7fff_ffff, -0x8000_0000),
  fc.integer({ min: -0x8000_0000, max: 0x7fff_ffff }),
)
const operation: fc.Arbitrary<Operation> = fc.record({
  type: fc.constantFrom('write', 'write', 'write', 'remove', 'sweep'),
  high: fc.constantFrom(0, 1),
  low: half,
  written: fc.record({
    row: fc.array(fc.maxSafeNat(), { minLength: width, maxLength: width }),
    ends: fc.integer({ min: 1, max: 100 }),
    spent: fc.boolean(),
    records: fc.constantFrom(undefined, 'a', 'b'),
  }),
})

test('a table keeps the last row and records of each fingerprint until they are removed or swept', () => {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 150 }), (operations) => {
      const table = new Table(width, true)
      const model = new Map<string, Written>()
      for (const operation of operations) {
        apply(operation, table, model)
        expect(contents(table, operations)).toEqual(model)
        expect(table.size).toBe(model.size)
        expect(table.unspent).toBe([...model.values()].filter(({ spent }) => !spent).length)
      }
    }),
    { numRuns: runs(150) },
  )
})

const many = 40 * mostRows

test('a table of forty segments finds the row of every fingerprint', () => {
  const table = filled(many)
  const wrong = everyKey(many).filter((key) => {
    const { segment, place } = locate(table, key)
    return segment.read(place, 0)[0] !== key || segment.endOf(place) !== endOf(key)
  })
  expect([wrong, table.size]).toEqual([[], many])
})

test('a table whose rows were all swept has the size of a new table, and accepts new rows', () => {
  const table = filled(many)
  sweepAll(table, Infinity)
  expect([table.size, table.unspent, segmentsOf(table).size]).toEqual([0, 0, 1])
  expect(bytesOf(table)).toBe(bytesOf(new Table(1, false)))
  write(table, 7)
  expect(locate(table, 7).segment.read(locate(table, 7).place, 0)).toEqual([7])
})

test('the rows that remain after a sweep are found, and a quarter of the rows takes less than half of the memory', () => {
  const table = filled(many)
  const before = bytesOf(table)
  sweepAll(table, many * 0.75)
  const left = everyKey(many).filter((key) => locate(table, key).place !== -1)
  expect(left).toEqual(everyKey(many).slice(many * 0.75))
  expect(bytesOf(table) / before < 0.5).toBe(true)
})

test('segments that have few rows left are merged', () => {
  const table = filled(many)
  sweepAll(table, many - 40)
  expect([table.size, segmentsOf(table).size]).toEqual([40, 1])
})

test('the memory of a row of two numbers stays under 48 bytes, at any number of rows', () => {
  const table = new Table(2, false)
  const over: number[] = []
  for (let key = 1; key <= many; key++) {
    write(table, key, [key, 1])
    if (key % 1024 === 0 && bytesOf(table) / key > 48) over.push(key)
  }
  expect(over).toEqual([])
})

test('no segment has more rows than its maximum, so that no operation on one segment touches more', () => {
  const table = filled(many)
  expect([...segmentsOf(table)].every(({ size }) => size <= mostRows)).toBe(true)
})

test('rows are found even if their fingerprints have many leading bits in common', () => {
  const table = new Table(1, false)
  // All of them have the first seventeen bits in common, so that segments are split by later bits.
  for (let i = 0; i < 2 * mostRows; i++) table.add(i, i, [i], i + 1, false, undefined)
  const found = everyKey(2 * mostRows).map((key) => {
    const segment = table.segmentOf(key - 1)
    return segment.read(segment.find(key - 1, key - 1), 0)[0]
  })
  expect(found).toEqual(everyKey(2 * mostRows).map((key) => key - 1))
})

test('evictUnspent evicts a row that is not spent, in whichever segment it is, and none if all are spent', () => {
  const table = filled(many, true)
  const key = 12_345
  expect(table.evictUnspent(0)).toBe(false)
  const { segment, place } = locate(table, key)
  table.write(segment, place, [key], endOf(key), false, undefined)
  expect([
    table.evictUnspent(spread(key)),
    locate(table, key).place,
    table.evictUnspent(spread(key)),
  ]).toEqual([true, -1, false])
  expect([table.size, table.unspent]).toEqual([many - 1, 0])
})

test('a full table keeps its size while rows are evicted and added', () => {
  const table = filled(many)
  const before = bytesOf(table)
  for (let key = many + 1; key <= 20 * many; key++) {
    table.evictUnspent(spread(key))
    write(table, key)
  }
  expect([table.size, bytesOf(table)]).toEqual([many, before])
})

test('soonestToEnd finds the row of a segment that expires first', () => {
  const table = new Table(1, false)
  for (const key of [5, 3, 8]) write(table, key)
  const { segment, place, ends } = table.soonestToEnd(0)
  expect([segment.read(place, 0), ends]).toEqual([[3], 3])
})

test('a table finds no row for a fingerprint that was not added', () => {
  const table = new Table(2, false)
  table.add(1, 5, [1, 2], 10, false, undefined)
  const fingerprints = [
    [2, 5],
    [1, 21],
    [5, 1],
  ] as const
  expect(fingerprints.map(([high, low]) => table.segmentOf(high).find(high, low))).toEqual([
    -1, -1, -1,
  ])
})

test('a change of a row that was read changes nothing in the table', () => {
  const table = new Table(2, false)
  table.add(1, 1, [1, 2], 10, false, undefined)
  table.segmentOf(1).read(0, 0)[0] = 99
  expect(table.segmentOf(1).read(0, 0)).toEqual([1, 2])
})

function everyKey(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i + 1)
}

/** A table with rows whose fingerprints are distributed like hashes. */
function filled(count: number, spent = false): Table {
  const table = new Table(1, false)
  for (const key of everyKey(count)) write(table, key, [key], spent)
  return table
}

function write(table: Table, key: number, row: number[] = [key], spent = false): void {
  table.add(spread(key), key, row, endOf(key), spent, undefined)
}

function endOf(key: number): number {
  return key
}

function spread(key: number): number {
  return Math.imul(key, 0x9e37_79b1)
}

function locate(table: Table, key: number): { readonly segment: Segment; readonly place: number } {
  const segment = table.segmentOf(spread(key))
  return { segment, place: segment.find(spread(key), key) }
}

/** Sweeps every segment several times, so that merged segments are also swept. */
function sweepAll(table: Table, moment: number): void {
  for (let i = 0; i < 8 * (many / mostRows); i++) table.sweepNext(moment)
}

function segmentsOf(table: Table): Set<Segment> {
  const segments = new Set<Segment>()
  for (let i = 0; i < 4096; i++) segments.add(table.segmentOf(i << 20))
  return segments
}

function bytesOf(table: Table): number {
  const sizes = [...segmentsOf(table)].flatMap(({ numbers, index }) => [numbers, index])
  return sizes.reduce((sum, { byteLength }) => sum + byteLength, 0)
}

function apply({ type, high, low, written }: Operation, table: Table, model: Map<string, Written>) {
  const name = `${high} ${low}`
  const { row, ends, spent, records } = written
  const segment = table.segmentOf(high)
  const place = segment.find(high, low)
  switch (type) {
    case 'write':
      if (place === -1) table.add(high, low, row, ends, spent, records)
      else table.write(segment, place, row, ends, spent, records)
      model.set(name, written)
      break
    case 'remove':
      if (model.delete(name)) table.remove(segment, place)
      break
    case 'sweep':
      table.sweepNext(ends)
      for (const [name, written] of model) if (written.ends <= ends) model.delete(name)
      break
  }
}

function contents(table: Table, operations: readonly Operation[]): Map<string, Written> {
  const found = new Map<string, Written>()
  for (const { high, low } of operations) {
    const segment = table.segmentOf(high)
    const place = segment.find(high, low)
    if (place === -1) continue
    found.set(`${high} ${low}`, {
      row: segment.read(place, 0),
      ends: segment.endOf(place),
      spent: !segment.isUnspent(place),
      records: segment.recordsOf(place),
    })
  }
  return found
}
