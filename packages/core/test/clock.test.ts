import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Time } from '../src/clock.js'

const noon = Date.UTC(2026, 0, 1, 12)
let processTime: Time

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: noon })
  vi.resetModules()
  processTime = (await import('../src/clock.js')).processTime
})

// In this order: real timers are given back to the object that is global then.
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

test('both clocks begin at the time of day', () => {
  expect([processTime.monotonic(), processTime.wall()]).toEqual([noon, noon])
})

test('both clocks advance with time', () => {
  vi.advanceTimersByTime(1500)
  expect([processTime.monotonic(), processTime.wall()]).toEqual([noon + 1500, noon + 1500])
})

test.each([-86_400_000, 3_600_000])(
  'setting the machine’s clock by %i ms moves the wall clock only',
  (step) => {
    vi.setSystemTime(noon + step)
    expect([processTime.monotonic(), processTime.wall()]).toEqual([noon, noon + step])
    vi.advanceTimersByTime(10)
    expect([processTime.monotonic(), processTime.wall()]).toEqual([noon + 10, noon + step + 10])
  },
)

test('where both clocks show 0 until the first request, as in Workers, no time is added twice', async () => {
  vi.setSystemTime(0)
  const loading = { timeOrigin: 0, now: () => Date.now() }
  vi.stubGlobal('performance', loading)
  vi.resetModules()
  const workers = (await import('../src/clock.js')).processTime
  vi.setSystemTime(noon)
  expect([workers.monotonic(), workers.wall()]).toEqual([noon, noon])
})

test('the monotonic clock counts whole milliseconds', () => {
  vi.advanceTimersByTime(2.75)
  expect(processTime.monotonic()).toBe(noon + 2)
})
