import { memoryStore, redisStore, type AsyncStore } from '@sluice/core'
import { describeStore } from '@sluice/conformance'
import { useRedis } from '@sluice/test-kit/redis'
import { beforeAll, describe } from 'vitest'

describeStore('memoryStore', () => memoryStore())

describe('on a real Redis', () => {
  const server = useRedis()
  // A new store would send the text of its scripts again.
  let store: AsyncStore
  beforeAll(() => {
    store = redisStore(server.connection, { timeout: '10s' })
  })
  describeStore('redisStore', () => store, 0.5)
})
