import { setTimeout as sleep } from 'node:timers/promises'
import type { Limiter } from '../src/index.js'

/** The same limiter, whose decisions arrive after these milliseconds or promises in turn. */
export function slowly(
  limiter: Limiter,
  delays: readonly (number | Promise<void>)[],
): Limiter & { calls(): number } {
  let calls = 0
  return {
    ...limiter,
    calls: () => calls,
    async consume(key, options) {
      const delay = delays[calls++ % delays.length]
      const decision = await limiter.consume(key, options)
      await (typeof delay === 'number' ? sleep(delay) : delay)
      return decision
    },
  }
}
