import { randomUUID } from 'node:crypto'
import { createLimiter, type Limiter, type Policies, type Store } from '@sluice/core'
import { runs } from '@sluice/test-kit/random'

export type StoreFactory = () => Store | Promise<Store>

/** A store, and a clock that only the test moves. */
export interface Setup {
  /** The time in milliseconds. */
  now: number
  readonly store: Store
  /** A limiter with counters of its own, or with those of the limiter that has this name. */
  limiter(policies: Policies, name?: string): Limiter
}

export interface OpenSetup {
  (start?: number): Promise<Setup>
  /** How often a property is tried on this store, of `all` times with `SLUICE_RUNS=1` on a store that answers at once. */
  runs(all: number): number
}

/** 2025-11-21T00:00:00Z: a midnight, so that windows of up to a day begin here. */
export const today = 1_763_683_200_000

export function setupOf(makeStore: StoreFactory, share: number): OpenSetup {
  async function open(start = today): Promise<Setup> {
    const store = await makeStore()
    const setup: Setup = {
      now: start,
      store,
      limiter: (policies, name = randomUUID()) =>
        createLimiter({ name, policies, store, clock: () => setup.now }),
    }
    return setup
  }

  return Object.assign(open, { runs: (all: number) => runs(all * share) })
}
