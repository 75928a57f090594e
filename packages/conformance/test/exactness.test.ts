import { play, startRedis, type RedisServer } from '@sluice/conformance'
import { afterAll, beforeAll, expect, test } from 'vitest'

// The long form, with every algorithm, a Cluster and a million decisions: pnpm --filter @sluice/conformance exactness

let server: RedisServer
beforeAll(async () => {
  server = await startRedis()
})
afterAll(() => server.stop())

test.each(['fixedWindow', 'slidingLog', 'gcra', 'concurrency'])(
  'several processes together admit as many as the limit says, to the unit: %s',
  async (policy) => {
    const task = { name: policy, policy, ports: [server.port], isCluster: false }
    const { admitted, expected, wrong, away } = await play(3, task, 9000)
    expect({ admitted, wrong, away }).toEqual({ admitted: expected, wrong: 0, away: 0 })
  },
)
