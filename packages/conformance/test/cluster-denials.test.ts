import { randomUUID } from 'node:crypto'
import { createLimiter, fixedWindow, notLimited, redisStore, type RedisClient } from '@sluice/core'
import { startCluster } from '@sluice/conformance/redis'
import { expect, onTestFinished, test } from 'vitest'

test('if a slot that has denied a request allows it in the second call, its units are refunded and the request stays denied', async () => {
  const cluster = await startCluster()
  onTestFinished(() => cluster.stop())
  const client = cluster.client()
  const policies = {
    address: fixedWindow({ limit: 3, window: '1h' }),
    user: fixedWindow({ limit: 1, window: '1h' }),
  }
  const options = { name: randomUUID(), policies }
  const rival = createLimiter({ ...options, store: redisStore(client, { timeout: '20s' }) })
  // The two keys are on different masters.
  const keys = { address: 'ann', user: 'bob' }
  const taken = await rival.consume({ address: notLimited, user: 'bob' })
  const before = await rival.peek(keys)
  expect([taken.allowed, before.allowed]).toEqual([true, false])
  let calls = 0
  async function interrupt(): Promise<void> {
    // After two peeks, the third call goes to the slot that denied.
    if (++calls === 3) await rival.refund(taken)
  }
  const interrupted: RedisClient = {
    isCluster: true,
    async evalSha(digest, keys, args) {
      await interrupt()
      return client.evalsha(digest, keys.length, ...keys, ...args)
    },
    async eval(script, keys, args) {
      await interrupt()
      return client.eval(script, keys.length, ...keys, ...args)
    },
  }
  const store = redisStore(interrupted, { timeout: '20s' })
  const decision = await createLimiter({ ...options, store }).consume(keys)
  expect(decision).toMatchObject({ allowed: false, deniedBy: ['user'] })
  expect(calls).toBe(4)
  const { policies: status } = await rival.status(keys)
  expect([status['address'].used, status['user'].used]).toEqual([0, 0])
})
