import { redisStore } from '@sluice/core'
import { useRedis } from '@sluice/test-kit/redis'
import { describePairsOfForms } from '../src/stores/policies/forms.js'
import { setupOf } from '../src/stores/setup.js'

// The contract of a store has a part of these pairs on Redis.

const server = useRedis()
describePairsOfForms(
  setupOf(() => redisStore(server.connection, { timeout: '10s' }), 1),
  'all',
)
