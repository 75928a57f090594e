import { memoryStore, redisStore } from '@sluice/core'
import { useCluster, useRedis } from '@sluice/test-kit/redis'
import { describeCosts } from './costs-suite.js'

const redis = useRedis()
const cluster = useCluster()

describeCosts('memory', () => memoryStore())
describeCosts('Redis', () => redisStore(redis.client(), { timeout: '20s' }))
describeCosts('Redis Cluster', () => redisStore(cluster.client(), { timeout: '20s' }))
