import { setImmediate as turn } from 'node:timers/promises'
import { vi } from 'vitest'
import {
  createLimiter,
  fixedWindow,
  type FixedWindowPolicy,
  type Limiter,
  type MemoryStore,
  type Policies,
} from '../src/index.js'

/** One call a minute. */
export const once: FixedWindowPolicy = fixedWindow({ limit: 1, window: '1m' })

/** Time passes only where a test lets it. */
export function useTimers(): void {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
  })
}

/** Lets time pass, and then everything happen that is due. */
export async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms)
  await turn()
}

/** A limiter whose time is that of the timers. */
export function limiterOf(policies: Policies): Limiter<MemoryStore> {
  const start = Date.UTC(2026, 0, 1)
  const clock = () => Math.floor(start + performance.now())
  return createLimiter({ name: 'calls', policies, clock })
}

/** Describes each call as one for the same key. */
export function forAll(): { key: string } {
  return { key: 'all' }
}

/** Work that knows how often it was done. */
export function counted(): { ran: () => number; work: () => number } {
  let times = 0
  return { ran: () => times, work: () => ++times }
}
