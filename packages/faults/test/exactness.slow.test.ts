import { useRedis } from '@sluice/conformance/redis'
import { expect, test } from 'vitest'
import { play } from '../src/exactness/play.js'

// The long run covers every algorithm, a Cluster and a million decisions: npm run exactness

const server = useRedis()

test.each(['fixedWindow', 'slidingLog', 'gcra', 'concurrency'])(
  'several processes together allow exactly the limit: %s',
  async (policy) => {
    const until = Date.now() + 60_000
    const task = { name: policy, policy, ports: [server.port], isCluster: false, until }
    const { allowed, expected, wrong, withoutRedis } = await play(3, task, 9000)
    expect({ allowed, wrong, withoutRedis }).toEqual({
      allowed: expected,
      wrong: 0,
      withoutRedis: 0,
    })
  },
)
