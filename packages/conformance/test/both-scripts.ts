import type { AsyncStore } from '@sluice/core'
import { useRedis, type TestRedis } from '@sluice/conformance/redis'
import { beforeAll } from 'vitest'
// Internal: no option makes the script of single requests decide everything.
import { createRedisStore } from '../../core/src/stores/redis/index.js'

/** Two stores on one Redis. The prefix of their keys is 'plan' and 'single'. */
export interface BothScripts {
  readonly server: TestRedis
  /** Decides by the scripts of plans. */
  readonly plan: AsyncStore
  /** Decides each request by the script of single requests. */
  readonly single: AsyncStore
}

export function useBothScripts(): BothScripts {
  const server = useRedis()
  let plan: AsyncStore
  let single: AsyncStore
  beforeAll(() => {
    const client = server.client()
    plan = createRedisStore(client, { timeout: '10s', prefix: 'plan' }, true)
    single = createRedisStore(client, { timeout: '10s', prefix: 'single' }, false)
  })
  return {
    server,
    get plan() {
      return plan
    },
    get single() {
      return single
    },
  }
}
