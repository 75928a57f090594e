import { createLimiter, redisStore, type HeldLease, type Policies } from '@sluice/core'
import type { Contender, Fill } from './contender.js'

/** A limiter of Sluice. Its keys are filled with an injected clock, and the timed decisions use the clock of Redis. */
export function sluice(builder: string, policies: Policies, fill: Fill): Contender {
  return {
    name: builder,
    fill,
    sends: ['evalsha'],
    async open(client, name) {
      // A busy machine may pause this process, and no call may time out because of that.
      const store = redisStore(client, { timeout: '30s' })
      let then = 0
      const limiter = createLimiter({ name, policies, store })
      const past = createLimiter({ name, policies, store, clock: () => then })
      const leases: HeldLease[] = []

      async function decide(key: string, now?: number): Promise<boolean> {
        if (now !== undefined) {
          then = now
          return (await past.consume(key)).allowed
        }
        const { allowed, lease } = await limiter.consume(key)
        if (lease !== undefined) leases.push(lease)
        return allowed
      }

      async function release(): Promise<void> {
        await Promise.all(leases.splice(0).map(async (lease) => lease.release()))
      }

      return { decide, release }
    },
  }
}
