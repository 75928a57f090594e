import { setTimeout as sleep } from 'node:timers/promises'
import type { Limiter } from '../src/index.js'

/** The same limiter, whose decisions arrive after these milliseconds in turn. */
export function slowly(limiter: Limiter, delays: readonly number[]): Limiter & { calls(): number } {
  let calls = 0
  return {
    ...limiter,
    calls: () => calls,
    async consume(key, options) {
      const delay = delays[calls++ % delays.length]
      const decision = await limiter.consume(key, options)
      await sleep(delay)
      return decision
    },
  }
}
