import { describe, expect, test } from 'vitest'
import type { LogRecord } from '../../../src/simulate/log/record.js'
import {
  byArrival,
  bySecond,
  createWindow,
  spreadOverSecond,
  type Order,
  type Window,
  type WindowOptions,
} from '../../../src/simulate/log/order.js'
import { start } from '../logs.js'

const orders = [
  ['byArrival', byArrival],
  ['bySecond', bySecond],
] as const

function recordAt(time: number, durationMs?: number): LogRecord {
  return {
    time,
    at: time - (durationMs ?? 0),
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
  readonly stage: Window
  push(...seconds: readonly number[]): void
}

function passing(
  order: Order,
  { disorderMs = 5000, maxHeld = 1000 }: Partial<WindowOptions> = {},
): Passing {
  const passed: number[] = []
  const stage = createWindow({ disorderMs, maxHeld }, order, ({ at }) => {
    passed.push((at - start) / 1000)
  })
  const push = (...seconds: readonly number[]): void => {
    for (const second of seconds) stage.push(recordAt(start + second * 1000))
  }
  return { passed, stage, push }
}

describe.each(orders)('%s', (_, order) => {
  test('passes a record on once no earlier one can follow, and not before', () => {
    const { passed, stage, push } = passing(order)
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
    const { passed, push } = passing(order, { disorderMs: 1e9, maxHeld: 3 })
    push(0, 1, 2)
    expect(passed).toEqual([])
    push(3)
    expect(passed).toEqual([0])
    push(4, 5)
    expect(passed).toEqual([0, 1, 2])
  })

  test('records that were passed on are no longer held', () => {
    const { passed, push } = passing(order, { maxHeld: 8 })
    push(0, 1, 2, 3, 100, 101, 102, 103, 104, 105)
    expect(passed).toEqual([0, 1, 2, 3])
  })

  test('a record at the time of the last one is not late, and an earlier one is', () => {
    const { passed, stage, push } = passing(order, { disorderMs: 0 })
    push(10, 20, 20, 30)
    expect(stage.late).toBe(0)
    push(5)
    expect(stage.late).toBe(1)
    stage.flush()
    expect(passed).toEqual(passed.toSorted((a, b) => a - b))
    expect(passed).toHaveLength(5)
  })

  test('a record out of order by the stated time is put in order', () => {
    const { passed, stage, push } = passing(order)
    push(10, 15, 10, 12, 11)
    stage.flush()
    expect(stage.late).toBe(0)
    expect(passed).toEqual([10, 10, 11, 12, 15])
  })
})

describe('spreadOverSecond', () => {
  test('a record of a second that was passed on is late', () => {
    const { passed, stage, push } = passing(bySecond)
    push(0, 6, 0.5)
    expect(stage.late).toBe(1)
    stage.flush()
    // It is replayed in the first second that was not passed on.
    expect(passed).toEqual([0, 1, 6])
  })

  test('the requests of a second are spread over it, and a late one belongs to its new second', () => {
    const { passed, stage, push } = passing(spreadOverSecond)
    push(0, 6, 6, 0)
    push(1)
    stage.flush()
    expect(passed).toEqual([0, 1, 1.5, 6, 6.5])
  })

  test('a request arrived before its end', () => {
    const passed: number[] = []
    const stage = createWindow({ disorderMs: 0, maxHeld: 9 }, spreadOverSecond, ({ at }) => {
      passed.push(at - start)
    })
    stage.push(recordAt(start + 5000, 3000))
    stage.push(recordAt(start + 5000, 100))
    stage.flush()
    expect(passed).toEqual([2000, 5400])
  })
})
