import { useRedis } from '@sluice/conformance/redis'
import { expect, test } from 'vitest'
import { play } from '../src/exactness/play.js'

// The long form covers every algorithm, a Cluster and a million decisions: npm run exactness

const server = useRedis()

test.each(['fixedWindow', 'slidingLog', 'gcra', 'concurrency'])(
  'several processes together admit as many as the limit says, to the unit: %s',
  async (policy) => {
    const task = { name: policy, policy, ports: [server.port], isCluster: false }
    const { admitted, expected, wrong, away } = await play(3, task, 9000)
    expect({ admitted, wrong, away }).toEqual({ admitted: expected, wrong: 0, away: 0 })
  },
)
