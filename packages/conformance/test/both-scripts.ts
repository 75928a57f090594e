import type { AsyncStore } from '@sluice/core'
import { useRedis, type TestRedis } from '@sluice/conformance/redis'
import { beforeAll } from 'vitest'
// Internal: no option makes the general script decide everything.
import { createRedisStore } from '../../core/src/stores/redis/index.js'

/** Two stores on one Redis. The prefix of their keys is 'plan' and 'general'. */
export interface BothScripts {
  readonly server: TestRedis
  /** Decides by the scripts of plans. */
  readonly plan: AsyncStore
  /** Decides everything by the general script. */
  readonly general: AsyncStore
}

export function useBothScripts(): BothScripts {
  const server = useRedis()
  let plan: AsyncStore
  let general: AsyncStore
  beforeAll(() => {
    const client = server.client()
    plan = createRedisStore(client, { timeout: '10s', prefix: 'plan' }, false)
    general = createRedisStore(client, { timeout: '10s', prefix: 'general' }, true)
  })
  return {
    server,
    get plan() {
      return plan
    },
    get general() {
      return general
    },
  }
}
