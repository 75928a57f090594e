import { setImmediate as turn } from 'node:timers/promises'
import { vi } from 'vitest'
import {
  createLimiter,
  fixedWindow,
  type FixedWindowPolicy,
  type Limiter,
  type MemoryStore,
  type Policies,
} from '../../src/index.js'

/** One call a minute. */
export const once: FixedWindowPolicy = fixedWindow({ limit: 1, window: '1m' })

/** Replaces the timers and the clock, so that time passes only in `pass`. */
export function useTimers(): void {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
  })
}

/** Advances time, and runs everything that is due. */
export async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms)
  await turn()
}

/** A limiter that uses the time of the timers. */
export function limiterOf(policies: Policies): Limiter<MemoryStore> {
  const start = Date.UTC(2026, 0, 1)
  const clock = () => Math.floor(start + performance.now())
  return createLimiter({ name: 'calls', policies, clock })
}

/** Describes each call as one for the same key. */
export function forAll(): { key: string } {
  return { key: 'all' }
}

/** A function that counts its runs. */
export function counted(): { ran: () => number; work: () => number } {
  let times = 0
  return { ran: () => times, work: () => ++times }
}
