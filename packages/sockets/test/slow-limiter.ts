import type { Limiter } from '../src/index.js'

/** A promise that the test resolves. */
export interface Gate {
  readonly opened: Promise<void>
  open(): void
}

export function createGate(): Gate {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { opened, open: () => open() }
}

/** The same limiter, whose decisions arrive once these gates are open, in turn. */
export function slowly(limiter: Limiter, gates: readonly Gate[]): Limiter & { calls(): number } {
  let calls = 0
  return {
    ...limiter,
    calls: () => calls,
    async consume(key, options) {
      const { opened } = gates[calls++ % gates.length]
      const decision = await limiter.consume(key, options)
      await opened
      return decision
    },
  }
}
