// The bytes of a key in memory: node --expose-gc sizing.js
import { createLimiter, gcra, memoryStore, slidingLog, slidingWindow } from '@sluice/core'

const count = 100_000
const kept = []
const window = '1h'
const policies = {
  slidingWindow: slidingWindow({ limit: 100, window }),
  'slidingWindow, 10 buckets': slidingWindow({ limit: 100, window, buckets: 10 }),
  'slidingWindow, 250 buckets': slidingWindow({ limit: 100, window: '1000s', buckets: 250 }),
  gcra: gcra({ limit: 100, window }),
  'slidingLog, one request': slidingLog({ limit: 100, window }),
}

function used() {
  // The second collection frees more.
  globalThis.gc?.()
  globalThis.gc?.()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

for (const [name, policy] of Object.entries(policies)) {
  const before = used()
  const store = memoryStore({ maxKeys: count })
  kept.push(store)
  const limiter = createLimiter({ name, policies: policy, store })
  for (let i = 0; i < count; i++) limiter.consume(`user:${i}`)
  console.log(`${name}: ${Math.round((used() - before) / store.size)} bytes a key`)
}
