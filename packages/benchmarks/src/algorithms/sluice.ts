import { createLimiter, redisStore, type HeldLease, type Policy } from '@sluice/core'
import type { Contender, Fill } from './contender.js'

/** A limiter of ours with one policy, on its own clock while it is filled, and on Redis's while it is timed. */
export function sluice(builder: string, policies: Policy, fill: Fill): Contender {
  return {
    name: builder,
    fill,
    sends: ['evalsha'],
    async open(client, name) {
      // A machine that is busy may stop us for a while, and no call may be void for that.
      const store = redisStore(client, { timeout: '30s' })
      let then = 0
      const limiter = createLimiter({ name, policies, store })
      const past = createLimiter({ name, policies, store, clock: () => then })
      const held: HeldLease[] = []

      async function decide(key: string, now?: number): Promise<boolean> {
        if (now !== undefined) {
          then = now
          return (await past.consume(key)).allowed
        }
        const { allowed, lease } = await limiter.consume(key)
        if (lease !== undefined) held.push(lease)
        return allowed
      }

      async function release(): Promise<void> {
        await Promise.all(held.splice(0).map(async (lease) => lease.release()))
      }

      return { decide, release }
    },
  }
}
