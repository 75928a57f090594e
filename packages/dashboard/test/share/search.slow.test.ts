import { createLimiter, fixedWindow, redisStore } from '@sluice/core'
import { useRedis } from '@sluice/test-kit/redis'
import { expect, test } from 'vitest'
import { redisView } from '../../src/index.js'
import { serveDashboard } from '../served.js'

const redis = useRedis()

test('of many searches of many names, those that would wait long are refused, and no other fails', async () => {
  const { connection } = redis
  await connection.mset(Array.from({ length: 9000 }, (_, i) => [`other:${i}`, '1']).flat())
  const policies = fixedWindow({ limit: 5, window: '1h' })
  const limiter = createLimiter({
    name: 'busy',
    policies,
    store: redisStore(connection, { timeout: '10s' }),
  })
  const board = await serveDashboard({ limiters: { limiter }, share: redisView(connection) })
  const ask = async (): Promise<number> =>
    (await fetch(`${board.url}api/search?limiter=busy`)).status
  const all = await Promise.all(Array.from({ length: 40 }, ask))
  expect(all.filter((status) => status !== 200 && status !== 503)).toEqual([])
  expect(all).toContain(503)
})
