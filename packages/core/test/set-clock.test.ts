import { afterEach, expect, test, vi } from 'vitest'
import { processTime } from '../src/clock.js'
import { createLimiter, fixedWindow, memoryStore } from '../src/index.js'

// The machine's clock is set while the process runs. Windows that begin at a time of day follow it, all others do not, and the counts of
// neither may go because of what the other's time is.

afterEach(() => {
  vi.restoreAllMocks()
})

const hourMs = 3_600_000

test.each([
  ['forwards by two hours', 2 * hourMs],
  ['backwards by two hours', -2 * hourMs],
  ['forwards by a day', 24 * hourMs],
  ['backwards by a day', -24 * hourMs],
])('a clock that is set %s loses no count, whatever keys come after it', (_, stepMs) => {
  const store = memoryStore()
  const onTheWall = createLimiter({
    name: 'wall',
    policies: fixedWindow({ limit: 1, window: '1h', align: 'clock' }),
    store,
  })
  const onItsOwn = createLimiter({
    name: 'own',
    policies: fixedWindow({ limit: 1, window: '1h' }),
    store,
  })
  // At the start of an hour, so that no window ends within the test.
  const wall = Math.ceil(Date.now() / hourMs) * hourMs + stepMs
  vi.spyOn(processTime, 'wall').mockImplementation(() => wall)
  const limiters = [onTheWall, onItsOwn]
  const keys = Array.from({ length: 100 }, (_, i) => `early ${i}`)
  for (const limiter of limiters) for (const key of keys) limiter.consume(key)
  for (let i = 0; i < 5000; i++) for (const limiter of limiters) limiter.consume(`late ${i}`)
  const forgotten = limiters.map((limiter) => keys.filter((key) => limiter.consume(key).allowed))
  expect(forgotten).toEqual([[], []])
})

test('fake timers move a memory store that has no clock of its own', () => {
  vi.useFakeTimers()
  const limiter = createLimiter({
    name: 'faked',
    policies: fixedWindow({ limit: 1, window: '1m' }),
  })
  const allowed = [0, 0, 59_999, 1].map((ms) => {
    vi.advanceTimersByTime(ms)
    return limiter.consume('key').allowed
  })
  vi.useRealTimers()
  expect(allowed).toEqual([true, false, false, true])
})

test.each([
  ['ahead', 24 * hourMs],
  ['behind', -24 * hourMs],
])('a limiter whose own clock is a day %s ends no count of another in its store', (_, stepMs) => {
  const store = memoryStore()
  const policies = fixedWindow({ limit: 1, window: '1h' })
  const here = createLimiter({ name: 'here', policies, store })
  const there = createLimiter({ name: 'there', policies, store, clock: () => Date.now() + stepMs })
  const limiters = [here, there]
  for (const limiter of limiters) limiter.consume('early')
  for (let i = 0; i < 5000; i++) for (const limiter of limiters) limiter.consume(`late ${i}`)
  expect(limiters.map((limiter) => limiter.consume('early').allowed)).toEqual([false, false])
})
