import { redisStore, type AsyncStore } from '@sluice/core'
import { describeStore } from '@sluice/conformance'
import { useCluster } from '@sluice/test-kit/redis'
import { beforeAll } from 'vitest'

const cluster = useCluster()
let store: AsyncStore
beforeAll(() => {
  store = redisStore(cluster.client(), { timeout: '20s' })
})

describeStore('redisStore on a Redis Cluster', () => store, 0.4)
