import { randomUUID } from 'node:crypto'
import { createLimiter, fixedWindow, notLimited, redisStore, type RedisClient } from '@sluice/core'
import { startCluster } from '@sluice/conformance/redis'
import { expect, onTestFinished, test } from 'vitest'

test('what a slot takes that denied a moment ago is given back, and the request stays denied', async () => {
  const cluster = await startCluster()
  onTestFinished(() => cluster.stop())
  const client = cluster.client()
  const policies = {
    address: fixedWindow({ limit: 3, window: '1h' }),
    user: fixedWindow({ limit: 1, window: '1h' }),
  }
  const options = { name: randomUUID(), policies }
  const rival = createLimiter({ ...options, store: redisStore(client, { timeout: '20s' }) })
  // On two masters.
  const keys = { address: 'ann', user: 'bob' }
  const taken = await rival.consume({ address: notLimited, user: 'bob' })
  const before = await rival.peek(keys)
  expect([taken.allowed, before.allowed]).toEqual([true, false])
  let calls = 0
  const interrupted: RedisClient = {
    isCluster: true,
    async evalSha(digest, keys, args) {
      // Two looks, and then what denied is asked in earnest.
      if (++calls === 3) await rival.refund(taken)
      return client.evalsha(digest, keys.length, ...keys, ...args)
    },
    eval: (script, keys, args) => client.eval(script, keys.length, ...keys, ...args),
  }
  const store = redisStore(interrupted, { timeout: '20s' })
  const decision = await createLimiter({ ...options, store }).consume(keys)
  expect(decision).toMatchObject({ allowed: false, deniedBy: ['user'] })
  expect(calls).toBe(4)
  const { policies: status } = await rival.status(keys)
  expect([status['address'].used, status['user'].used]).toEqual([0, 0])
})
