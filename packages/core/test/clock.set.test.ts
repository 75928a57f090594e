import { mock } from 'node:test'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { processTime } from '../src/clock.js'
import {
  calendarWindow,
  createLimiter,
  fixedWindow,
  memoryStore,
  slidingLog,
  tokenBucket,
  type Policy,
} from '../src/index.js'

// The machine's clock is set while the process runs. Windows that begin at a time of day follow it, and all others do not. No count may be lost
// because its clock differs from the other one.

afterEach(() => {
  vi.restoreAllMocks()
})

const hourMs = 3_600_000

test.each([
  ['forwards by two hours', 2 * hourMs],
  ['backwards by two hours', -2 * hourMs],
  ['forwards by a day', 24 * hourMs],
  ['backwards by a day', -24 * hourMs],
])('no count is lost when the clock is set %s, even if many other keys follow', (_, stepMs) => {
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

/** Ways to move the time of a test. Most of them replace `Date` and nothing else. */
const fakes: readonly {
  readonly name: string
  readonly begin: (now: number) => void
  readonly pass: (ms: number) => void
  readonly end: () => void
}[] = [
  {
    name: 'vi.useFakeTimers()',
    begin: (now) => vi.useFakeTimers({ now }),
    pass: (ms) => vi.advanceTimersByTime(ms),
    end: () => vi.useRealTimers(),
  },
  {
    name: 'vi.useFakeTimers() of Date alone',
    begin: (now) => vi.useFakeTimers({ now, toFake: ['Date'] }),
    pass: (ms) => vi.advanceTimersByTime(ms),
    end: () => vi.useRealTimers(),
  },
  {
    name: 'vi.useFakeTimers() and vi.setSystemTime()',
    begin: (now) => vi.useFakeTimers({ now }),
    pass: (ms) => vi.setSystemTime(Date.now() + ms),
    end: () => vi.useRealTimers(),
  },
  {
    name: 'vi.setSystemTime() alone',
    begin: (now) => vi.setSystemTime(now),
    pass: (ms) => vi.setSystemTime(Date.now() + ms),
    end: () => vi.useRealTimers(),
  },
  {
    name: 'mock.timers of node:test',
    begin: (now) => mock.timers.enable({ apis: ['Date'], now }),
    pass: (ms) => mock.timers.tick(ms),
    end: () => mock.timers.reset(),
  },
]

describe.each(fakes)('fake timers: $name', ({ begin, pass, end }) => {
  test.each<readonly [string, Policy]>([
    ['fixedWindow', fixedWindow({ limit: 1, window: '1h' })],
    ['fixedWindow on the clock', fixedWindow({ limit: 1, window: '1h', align: 'clock' })],
    ['calendarWindow', calendarWindow({ limit: 1, period: 'hour', timeZone: 'UTC' })],
    ['slidingLog', slidingLog({ limit: 1, window: '1h' })],
    ['tokenBucket', tokenBucket({ capacity: 1, refill: 1, every: '1h' })],
    ['a block', fixedWindow({ limit: 1, window: '1m', block: { for: '1h' } })],
  ])('apply to a memory store that was loaded before them: %s', (_, policies) => {
    const limiter = createLimiter({ name: 'faked', policies })
    begin(Date.UTC(2030, 0, 1))
    onTestFinished(end)
    const allowed = [0, 0, hourMs - 1, 1].map((ms) => {
      pass(ms)
      return limiter.consume('key').allowed
    })
    expect(allowed).toEqual([true, false, false, true])
  })

  test('have no effect after they end', () => {
    begin(0)
    end()
    const before = Date.now()
    const { monotonic, wall } = { monotonic: processTime.monotonic(), wall: processTime.wall() }
    const after = Date.now()
    expect([before <= wall && wall <= after, Math.abs(monotonic - wall) < 1000]).toEqual([
      true,
      true,
    ])
  })
})

test.each([
  ['ahead', 24 * hourMs],
  ['behind', -24 * hourMs],
])(
  'a limiter with a clock that is a day %s expires no count of another limiter in its store',
  (_, stepMs) => {
    const store = memoryStore()
    const policies = fixedWindow({ limit: 1, window: '1h' })
    const plain = createLimiter({ name: 'plain', policies, store })
    const shifted = createLimiter({
      name: 'shifted',
      policies,
      store,
      clock: () => Date.now() + stepMs,
    })
    const limiters = [plain, shifted]
    for (const limiter of limiters) limiter.consume('early')
    for (let i = 0; i < 5000; i++) for (const limiter of limiters) limiter.consume(`late ${i}`)
    expect(limiters.map((limiter) => limiter.consume('early').allowed)).toEqual([false, false])
  },
)
