import { randomUUID } from 'node:crypto'
import { createLimiter, redisStore } from '@sluice/core'
import { useRedis } from '@sluice/test-kit/redis'
import { describe, expect, test } from 'vitest'
import { fifty } from './fifty.js'

const server = useRedis()

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
})
