import { randomUUID } from 'node:crypto'
import {
  calendarWindow,
  createLimiter,
  fixedWindow,
  redisStore,
  slidingLog,
  type AsyncStore,
  type Limiter,
} from '@sluice/core'
import { useRedis } from '@sluice/test-kit/redis'
import { afterEach, describe, expect, test, vi } from 'vitest'

const server = useRedis()
const { now } = Date
const day = 86_400_000

afterEach(() => vi.restoreAllMocks())

// The script of the first decides all requests of a key together, that of the second each request with its body. The numbers of a calendar window depend on the time.
const policies = {
  'a fixed window': fixedWindow({ limit: 10, window: '1h' }),
  'a log': slidingLog({ limit: 10, window: '1h' }),
  'a calendar window': calendarWindow({ limit: 10, period: 'day', timeZone: 'UTC' }),
}

describe.each([
  ['three days slow', -3 * day],
  ['three days fast', 3 * day],
])('in a process whose clock is %s', (_, shift) => {
  test.each(Object.entries(policies))('Redis decides for %s', async (_name, policy) => {
    vi.spyOn(Date, 'now').mockImplementation(() => now() + shift)
    const limiter: Limiter<AsyncStore> = createLimiter({
      name: randomUUID(),
      policies: policy,
      store: redisStore(server.client(), { timeout: '10s' }),
      onStoreError: 'deny',
    })
    const decisions = [await limiter.consume('key'), await limiter.consume('key')]
    expect(decisions.map(({ source, remaining }) => [source, remaining])).toEqual([
      ['store', 9],
      ['store', 8],
    ])
  })
})
