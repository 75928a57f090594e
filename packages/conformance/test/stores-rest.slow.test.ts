import { redisStore, restClient } from '@sluice/core'
import { describeStore } from '@sluice/conformance'
import { useRedis, useRest } from '@sluice/conformance/redis'
import { describe } from 'vitest'

describe('on a real Redis', () => {
  const rest = useRest(useRedis())
  const open = () => {
    const { url, token } = rest()
    return redisStore(restClient({ url, token }), { timeout: '10s' })
  }
  describeStore('redisStore over HTTP', open, 0.1)
})
