import {
  concurrency,
  createLimiter,
  fixedWindow,
  gcra,
  memoryStore,
  slidingWindow,
  tokenBucket,
  unlimited,
  type Limiter,
  type MemoryStore,
  type Policies,
} from '@sluice/core'
import { oneOfEachKind } from '../builders.js'

const limit = 20
const window = 60_000
const keyCount = 20
const rounds = 60

const single: Policies[] = [
  ...Object.values(oneOfEachKind(limit, window)),
  slidingWindow({ limit, window, buckets: 10 }),
  fixedWindow({ limit, window, block: { for: window } }),
]

const several: Policies[] = [
  { burst: gcra({ limit, window }), total: slidingWindow({ limit: 2 * limit, window }) },
  { requests: fixedWindow({ limit, window }), slots: concurrency({ limit: 5, lease: window }) },
  { first: tokenBucket({ capacity: limit, refill: limit, every: window }), second: unlimited() },
]

/**
 * Calls every method of limiters with every algorithm, so that V8 has seen all types at the call sites that limiters share. A decision that is
 * fast in a new process only because V8 has seen nothing else is slower afterwards.
 */
export async function useEverything(): Promise<void> {
  const store = memoryStore()
  const limiters = [...single, ...several].map((policies, i) =>
    createLimiter({ name: `mixed${i}`, policies, store }),
  )
  const pairs = createLimiter({
    name: 'pairs',
    policies: { user: fixedWindow({ limit, window }), tenant: slidingWindow({ limit, window }) },
    store,
  })
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < keyCount; i++) {
      for (const limiter of limiters) await decide(limiter, `user:${i}`, round)
      pairs.consume({ user: `user:${i}`, tenant: `tenant:${i % 5}` }, { cost: 1 + (i % 2) })
    }
  }
  store.close()
}

async function decide(limiter: Limiter<MemoryStore>, key: string, round: number): Promise<void> {
  const decision = limiter.consume(key)
  limiter.consume(key, { cost: round % 3 })
  limiter.peek(key)
  if (round % 3 === 0) limiter.refund(decision)
  if (round % 5 === 0) limiter.refund(key, 2)
  if (round % 7 === 0) limiter.penalize(key, 1)
  if (round % 11 === 0) limiter.status(key)
  if (round % 13 === 0) limiter.consumeMany([{ key }, { key: ['user', round], cost: 2 }])
  if (round % 17 === 0) limiter.block(key, '10ms')
  if (round % 19 === 0) limiter.unblock(key)
  if (round % 23 === 0) limiter.reset(key)
  if (round % 29 === 0) await limiter.acquire(key, { maxWait: 0 })
  decision.lease?.renew()
  if (round % 2 === 0) decision.lease?.release()
}
