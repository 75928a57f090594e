import { memoryStore, redisStore } from '@sluice/core'
import { describeStore } from '@sluice/conformance'
import { useRedis } from '@sluice/conformance/redis'
import { describe } from 'vitest'

describeStore('memoryStore', () => memoryStore())

describe('on a real Redis', () => {
  const server = useRedis()
  describeStore('redisStore', () => redisStore(server.client(), { timeout: '10s' }), 0.5)
})
