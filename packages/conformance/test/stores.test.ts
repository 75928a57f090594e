import { memoryStore, redisStore } from '@sluice/core'
import { describeStore, startRedis, type RedisServer } from '@sluice/conformance'
import { afterAll, beforeAll, describe } from 'vitest'

describeStore('memoryStore', () => memoryStore())

describe('on a real Redis', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server.stop())

  describeStore('redisStore', () => redisStore(server.client(), { timeout: '10s' }))
})
