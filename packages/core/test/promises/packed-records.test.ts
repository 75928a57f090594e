import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '@sluice/test-kit/random'
import type { Algorithm, BoundSteps, Lease, Records, Row } from '../../src/algorithms/algorithm.js'
import { concurrencySteps } from '../../src/algorithms/concurrency/steps.js'
import { slidingLogSteps } from '../../src/algorithms/sliding-log/steps.js'
import { concurrency, slidingLog } from '../../src/index.js'

const start = 1_763_683_200_000

/** One call of a step, at some time after the call before. */
interface Move {
  readonly verb: 'take' | 'refundReceipt' | 'refundUnits' | 'release' | 'renew'
  readonly after: number
  readonly units: number
  /** The number of an owner. 0: no owner. */
  readonly owner: number
  /** The earlier take that a refund, a release or a renewal is about, counted from the newest. */
  readonly about: number
}

const move: fc.Arbitrary<Move> = fc.record({
  verb: fc.constantFrom('take', 'take', 'take', 'refundReceipt', 'refundUnits', 'release', 'renew'),
  after: fc.constantFrom(0, 0, 1, 7, 200, 1000),
  units: fc.integer({ min: 1, max: 4 }),
  owner: fc.integer({ min: 0, max: 2 }),
  about: fc.nat({ max: 90 }),
})

interface Taken {
  readonly row: Row
  readonly now: number
  readonly cost: number
  readonly lease: Lease
}

function recordsOf<P extends object, R>({ records }: Algorithm<P, R>): Records<P, R> {
  if (records === undefined) throw new Error('no records')
  return records
}

/** A state that a process keeps, or that is packed and read again after each call. */
class State<P extends object, R> {
  row: Row
  records: R
  readonly taken: Taken[] = []
  readonly #algorithm: Algorithm<P, R>
  readonly #kind: Records<P, R>
  readonly #params: P
  readonly #isPacked: boolean
  #now = start

  constructor(algorithm: Algorithm<P, R>, params: P, isPacked: boolean) {
    const { times, counts } = algorithm.size(params)
    this.#algorithm = algorithm
    this.#kind = recordsOf(algorithm)
    this.#params = params
    this.#isPacked = isPacked
    this.row = Array.from({ length: times + counts }, () => 0)
    this.records = this.#kind.create(params)
  }

  run({ verb, after, units, owner, about }: Move): readonly unknown[] {
    this.#now += after
    const { times, counts, extras = 0 } = this.#algorithm.size(this.#params)
    const row = [...this.row, ...Array.from({ length: extras }, () => 0)]
    const earlier = this.taken.at(-1 - about)
    const id = `lease ${this.taken.length}`
    const isNew = verb === 'take' || verb === 'refundUnits'
    const lease = isNew ? { id, owner: owner === 0 ? id : `owner ${owner}` } : earlier?.lease
    if (lease === undefined) return []
    const steps = this.#kind.bind(this.records, lease)
    const fits = steps.look(row, this.#params, this.#now, verb === 'take' ? units : 0)
    const isDenied = verb === 'take' && !fits
    const result = isDenied ? false : this.#step(steps, verb, row, units, lease, earlier)
    // A denial and a lease that is not held change nothing.
    if (result !== false) this.#save(row, times + counts)
    return [
      fits,
      result,
      ...row,
      this.#algorithm.read(row, this.#params, this.#now, units, false).wait,
    ]
  }

  #step(
    steps: BoundSteps<P>,
    verb: Move['verb'],
    row: Row,
    units: number,
    lease: Lease,
    earlier: Taken | undefined,
  ): unknown {
    if (verb === 'take') {
      steps.take(row, this.#params, this.#now, units)
      return this.taken.push({ row: [...row], now: this.#now, cost: units, lease })
    }
    if (verb === 'refundUnits') return steps.refund(row, this.#params, this.#now, units)
    if (verb !== 'refundReceipt') return steps[verb]?.(row, this.#params, this.#now) ?? false
    if (earlier === undefined) return undefined
    return steps.refund(row, this.#params, this.#now, earlier.cost, { ...earlier, isPart: false })
  }

  #save(row: Row, width: number): void {
    this.row = row.slice(0, width)
    if (!this.#isPacked) return
    const isVoid = this.row.every((cell) => cell === 0)
    const bytes = this.#kind.pack(this.records)
    const records = isVoid ? undefined : this.#kind.unpack(bytes, this.row)
    if (!isVoid) expect(records).not.toBe(undefined)
    this.records = records ?? this.#kind.create(this.#params)
  }
}

describePacked('a log', slidingLogSteps, slidingLog({ limit: 200, window: 5000 }), 1)
describePacked(
  'a log of ten years',
  slidingLogSteps,
  slidingLog({ limit: 200, window: 315_360_000_000 }),
  63_072_000,
)
describePacked('leases', concurrencySteps, concurrency({ limit: 12, lease: 1500 }), 1)

function describePacked<P extends object, R>(
  name: string,
  algorithm: Algorithm<P, R>,
  given: P,
  scale: number,
): void {
  describe(name, () => {
    test('gives the same answers if it is packed and read again after each call', () => {
      fc.assert(
        fc.property(fc.array(move, { size: 'max', maxLength: 150 }), (moves) => {
          const kept = new State(algorithm, given, false)
          const packed = new State(algorithm, given, true)
          const answers: (readonly unknown[])[][] = []
          for (const one of moves) {
            const scaled = { ...one, after: one.after * scale }
            answers.push([packed.run(scaled), kept.run(scaled)])
          }
          expect(answers.map(([one]) => one)).toEqual(answers.map(([, other]) => other))
        }),
        { numRuns: runs(100) },
      )
    })

    test('is absent if it is cut or does not belong to the row, and never fails', () => {
      const state = new State(algorithm, given, true)
      for (let i = 0; i < 10; i++)
        state.run({ verb: 'take', after: 3, units: 1, owner: i % 3, about: 0 })
      const bytes = recordsOf(algorithm).pack(state.records)
      expect(recordsOf(algorithm).unpack(bytes, state.row)).not.toBe(undefined)
      for (let length = 0; length < bytes.length; length++) {
        expect(recordsOf(algorithm).unpack(bytes.subarray(0, length), state.row)).toBe(undefined)
      }
      expect(
        recordsOf(algorithm).unpack(
          bytes,
          state.row.map(() => 0),
        ),
      ).toBe(undefined)
      for (let at = 0; at < bytes.length; at++) {
        for (let value = 0; value < 256; value++)
          recordsOf(algorithm).unpack(bytes.with(at, value), state.row)
      }
    })
  })
}

// Stored records outlive the process that wrote them, so these bytes must not change without another layout of the rows.
test('packs a log of three records into the bytes of this layout', () => {
  const state = new State(slidingLogSteps, slidingLog({ limit: 900, window: 5000 }), false)
  for (const after of [0, 300, 7]) state.run({ verb: 'take', after, units: 1, owner: 0, about: 0 })
  expect(hexOf(recordsOf(slidingLogSteps).pack(state.records))).toBe('000380d8d79daa3301ac02010701')
})

test('packs a lease, and an owner with two, into the bytes of this layout', () => {
  const state = new State(concurrencySteps, concurrency({ limit: 3, lease: 1500 }), false)
  for (const owner of [0, 1, 1])
    state.run({ verb: 'take', after: owner, units: 1, owner, about: 0 })
  const first = '0001010e6c65617365203080e09dbeedd19a03'
  const grants = ['0e6c65617365203180e89dbeedd19a03', '0e6c65617365203280f09dbeedd19a03']
  const second = `010e6f776e657220310102${grants.join('')}`
  expect(hexOf(recordsOf(concurrencySteps).pack(state.records))).toBe(`02${first}${second}`)
})

test('a log of 8,000 units in any window, or 1,000 leases, fits into 48 KiB', () => {
  for (const window of [60_000, 315_360_000_000]) {
    const log = new State(slidingLogSteps, slidingLog({ limit: 8000, window }), false)
    for (let i = 0; i < 8000; i++) {
      log.run({
        verb: 'take',
        after: Math.floor((i % 7) * (window / 28_000)),
        units: 1,
        owner: 0,
        about: 0,
      })
    }
    expect(recordsOf(slidingLogSteps).pack(log.records).length).toBeLessThan(49_152)
  }
  const leases = new State(concurrencySteps, concurrency({ limit: 1000, lease: 60_000 }), false)
  for (let i = 0; i < 1000; i++)
    leases.run({ verb: 'take', after: 1, units: 1, owner: 0, about: 0 })
  expect(recordsOf(concurrencySteps).pack(leases.records).length).toBeLessThan(49_152)
})

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
