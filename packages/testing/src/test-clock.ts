import { SluiceError, type Duration } from '@sluice/core'
import { millisecondsOf } from '@sluice/core/internal'

/** A clock that only a test moves: the option `clock` of a limiter, or of `rateLimit`. */
export interface TestClock {
  /** The time in milliseconds since the epoch. */
  (): number
  /** Moves the clock forward, such as by `'1h'`. */
  advance(by: Duration): void
}

/**
 * Makes a clock that moves only when the test moves it. All counts use it, so their test needs no sleep and no fake timers. Waits are real: those of `acquire`, of
 * the option `wait` and of a leaky queue. To test them, use fake timers without this clock.
 *
 * @param start milliseconds since the epoch, or a date; by default the beginning of 2030, in UTC
 * @example
 * import { createLimiter } from '@sluice/core'
 * import { testClock } from '@sluice/testing'
 *
 * const clock = testClock()
 * const limiter = createLimiter({ name: 'emails', limit: 1, window: '1h', clock })
 * await limiter.consume('ada')
 * clock.advance('1h')
 * const { allowed } = await limiter.consume('ada') // true
 * @throws SluiceError if the start is not a time, or the duration is not a duration
 */
export function testClock(start: number | Date = Date.UTC(2030, 0, 1)): TestClock {
  let now = Number(start)
  if (!Number.isSafeInteger(now) || now < 0) throw invalid('testClock', 'the start', start)

  function advance(by: Duration): void {
    const ms = millisecondsOf(by)
    if (ms === undefined) throw invalid('advance', 'the duration', by)
    now += ms
  }

  return Object.assign(() => now, { advance })
}

function invalid(where: string, what: string, value: unknown): SluiceError {
  return new SluiceError('SLUICE_OPTION_INVALID', `${where}: ${what} is ${String(value)}.`)
}
