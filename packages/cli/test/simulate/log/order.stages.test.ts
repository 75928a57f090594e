import { describe, expect, test } from 'vitest'
import type { LogRecord } from '../../../src/simulate/log/record.js'
import { createReorder, createSpread, type Stage } from '../../../src/simulate/log/order.js'
import { start } from '../logs.js'

type CreateStage = (
  options: { disorderMs: number; maxHeld: number; spread: boolean },
  next: (record: LogRecord) => void,
) => Stage

const stages: readonly (readonly [string, CreateStage])[] = [
  ['reorder', createReorder],
  ['spread', createSpread],
]

function recordAt(time: number, durationMs?: number): LogRecord {
  return {
    time,
    at: time,
    durationMs,
    method: 'GET',
    url: '/',
    status: 200,
    address: undefined,
    isForwarded: false,
    forwarded: undefined,
    host: undefined,
    user: undefined,
    bytes: undefined,
    header: () => undefined,
    field: () => undefined,
  }
}

interface Passing {
  /** The times at which records were replayed, in seconds after the start. */
  readonly passed: readonly number[]
  readonly stage: Stage
  push(...seconds: readonly number[]): void
}

function passing(
  create: CreateStage,
  { disorderMs = 5000, maxHeld = 1000, spread = false }: Partial<Parameters<CreateStage>[0]> = {},
): Passing {
  const passed: number[] = []
  const stage = create({ disorderMs, maxHeld, spread }, ({ at }) => {
    passed.push((at - start) / 1000)
  })
  const push = (...seconds: readonly number[]): void => {
    for (const second of seconds) stage.push(recordAt(start + second * 1000))
  }
  return { passed, stage, push }
}

describe.each(stages)('%s', (_, create) => {
  test('passes a record on once no earlier one can follow, and not before', () => {
    const { passed, stage, push } = passing(create)
    push(0, 1, 2, 3, 4, 5)
    expect(passed).toEqual([])
    push(6)
    expect(passed).toEqual([0])
    push(9)
    expect(passed).toEqual([0, 1, 2, 3])
    stage.flush()
    expect(passed).toEqual([0, 1, 2, 3, 4, 5, 6, 9])
  })

  test('holds no more records than it may', () => {
    const { passed, push } = passing(create, { disorderMs: 1e9, maxHeld: 3 })
    push(0, 1, 2)
    expect(passed).toEqual([])
    push(3)
    expect(passed).toEqual([0])
    push(4, 5)
    expect(passed).toEqual([0, 1, 2])
  })

  test('records that were passed on are no longer held', () => {
    const { passed, push } = passing(create, { maxHeld: 8 })
    push(0, 1, 2, 3, 100, 101, 102, 103, 104, 105)
    expect(passed).toEqual([0, 1, 2, 3])
  })

  test('a record at the time of the last one is not late, and an earlier one is', () => {
    const { passed, stage, push } = passing(create, { disorderMs: 0 })
    push(10, 20, 20, 30)
    expect(stage.late).toBe(0)
    push(5)
    expect(stage.late).toBe(1)
    stage.flush()
    expect(passed).toEqual(passed.toSorted((a, b) => a - b))
    expect(passed).toHaveLength(5)
  })

  test('a record out of order by the stated time is put in order', () => {
    const { passed, stage, push } = passing(create)
    push(10, 15, 10, 12, 11)
    stage.flush()
    expect(stage.late).toBe(0)
    expect(passed).toEqual([10, 10, 11, 12, 15])
  })
})

test('reorder: a record at the time that was passed on last is not late', () => {
  const { passed, stage, push } = passing(createReorder, { disorderMs: 0 })
  push(10, 20, 30, 20)
  expect(stage.late).toBe(0)
  push(19.999)
  expect(stage.late).toBe(1)
  stage.flush()
  expect(passed).toEqual([10, 20, 20, 20, 30])
})

describe('spread', () => {
  test('a record of a second that was passed on is late', () => {
    const { passed, stage, push } = passing(createSpread)
    push(0, 6, 0.5)
    expect(stage.late).toBe(1)
    stage.flush()
    // It is replayed in the first second that was not passed on.
    expect(passed).toEqual([0, 1, 6])
  })

  test('the requests of a second are spread over it, and a late one belongs to its new second', () => {
    const { passed, stage, push } = passing(createSpread, { spread: true })
    push(0, 6, 6, 0)
    push(1)
    stage.flush()
    expect(passed).toEqual([0, 1, 1.5, 6, 6.5])
  })

  test('a request arrived before its end', () => {
    const passed: number[] = []
    const stage = createSpread({ disorderMs: 0, maxHeld: 9, spread: true }, ({ at }) => {
      passed.push(at - start)
    })
    stage.push(recordAt(start + 5000, 3000))
    stage.push(recordAt(start + 5000, 100))
    stage.flush()
    expect(passed).toEqual([2000, 5400])
  })
})
