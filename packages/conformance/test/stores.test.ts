import { memoryStore, redisStore, restClient } from '@sluice/core'
import { describeStore } from '@sluice/conformance'
import { useRedis, useRest } from '@sluice/conformance/redis'
import { describe } from 'vitest'

describeStore('memoryStore', () => memoryStore())

describe('on a real Redis', () => {
  const server = useRedis()

  describeStore('redisStore', () => redisStore(server.client(), { timeout: '10s' }))

  const rest = useRest(server)
  describeStore('redisStore over HTTP', () => {
    const { url, token } = rest()
    return redisStore(restClient({ url, token }), { timeout: '10s' })
  })
})
