import { afterEach, expect, test, vi } from 'vitest'
import { processTime } from '../src/clock.js'
import {
  calendarWindow,
  createLimiter,
  fixedWindow,
  slidingWindow,
  type Decision,
} from '../src/index.js'

afterEach(() => void vi.restoreAllMocks())

const hourMs = 3_600_000

test('windows that begin at a time of day follow the wall clock when it is set, and all others do not', () => {
  const start = 1_763_683_200_000
  let wall = start
  vi.spyOn(processTime, 'wall').mockImplementation(() => wall)
  vi.spyOn(processTime, 'monotonic').mockReturnValue(start)
  const limiter = createLimiter({
    name: 'api',
    policies: {
      clock: fixedWindow({ limit: 2, window: hourMs, align: 'clock' }),
      calendar: calendarWindow({ limit: 4, period: 'hour', timeZone: 'UTC' }),
      own: slidingWindow({ limit: 3, window: hourMs }),
    },
  })
  const usedBy = ({ policies }: Decision): readonly number[] =>
    Object.values(policies).map(({ used }) => used)

  expect(usedBy(limiter.consume('key'))).toEqual([1, 1, 1])
  wall += hourMs
  expect(usedBy(limiter.peek('key'))).toEqual([0, 0, 1])
  expect(usedBy(limiter.consume('key'))).toEqual([1, 1, 2])
})
