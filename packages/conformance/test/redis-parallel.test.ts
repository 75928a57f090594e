import { randomUUID } from 'node:crypto'
import {
  createLimiter,
  fixedWindow,
  gcra,
  redisStore,
  slidingWindow,
  tokenBucket,
} from '@sluice/core'
import { rush } from '@sluice/conformance'
import { useRedis } from '@sluice/conformance/redis'
import { describe, expect, test } from 'vitest'

const server = useRedis()

/** No unit expires and no window ends while the test runs: the next boundary on the clock is always half an hour ahead. */
const halfAnHour = 1_800_000
const offset = (Date.now() + halfAnHour) % (2 * halfAnHour)
const fifty = [
  fixedWindow({ limit: 50, window: '1h' }),
  fixedWindow({ limit: 50, window: '1h', align: 'clock', offset }),
  slidingWindow({ limit: 50, window: '365d' }),
  gcra({ limit: 50, window: '365d' }),
  tokenBucket({ capacity: 50, refill: 1, every: '30d' }),
].map((policy) => ({ policy, name: JSON.stringify(policy) }))

describe.each(fifty)('200 requests at once for 50 units, $name', ({ policy }) => {
  test('allows exactly 50 from one process', async () => {
    const store = redisStore(server.client(), { timeout: '20s' })
    const limiter = createLimiter({ name: randomUUID(), policies: policy, store })
    const decisions = await Promise.all(Array.from({ length: 200 }, () => limiter.consume('key')))
    const admitted = decisions.filter(({ allowed }) => allowed)
    expect(admitted).toHaveLength(50)
    expect(admitted.map(({ remaining }) => remaining)).toEqual(
      Array.from({ length: 50 }, (_, i) => 49 - i),
    )
  })

  test('allows exactly 50 from four processes', async () => {
    const task = { port: server.port, name: randomUUID(), policy, requests: 50 }
    expect(await rush(4, task)).toBe(50)
  })
})
