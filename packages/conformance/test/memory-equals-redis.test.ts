import { redisStore } from '@sluice/core'
import { compareStores, scenarios } from '@sluice/conformance'
import { patienceMs, runs } from '@sluice/test-kit/random'
import { useRedis } from '@sluice/test-kit/redis'
import fc from 'fast-check'
import { expect, test } from 'vitest'

const server = useRedis()

test(
  'the same traffic of all verbs gives the same answers over memory and over Redis, in every field',
  async () => {
    await fc.assert(
      fc.asyncProperty(scenarios(40), async (scenario) => {
        // A store takes limiters of 256 different lists of policies at most.
        const redis = redisStore(server.connection, { timeout: '10s' })
        expect(await compareStores(scenario, redis)).toBeUndefined()
      }),
      { numRuns: runs(300) },
    )
  },
  patienceMs,
)

test('after such traffic nothing in Redis is without a time to live', async () => {
  const client = server.client()
  const keys = await client.keys('*')
  const lives = await Promise.all(keys.map((key) => client.pttl(key)))
  expect(keys.length > 50).toBe(true)
  // A key that has expired since it was listed has -2.
  expect(lives.filter((ms) => ms === -1)).toEqual([])
})
