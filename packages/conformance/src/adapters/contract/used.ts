import type { Policy } from '@sluice/core'
import type { TestServer } from '../test-server.js'
import { until } from '../until.js'

/** How many units of the key `all` are in use. */
export async function usedOf(server: TestServer, policy: Policy): Promise<number> {
  const { policies } = await server.limiter(policy).status('all')
  return policies['default'].used
}

/** Waits until the work after the responses is done and `units` are in use. */
export async function untilUsed(server: TestServer, policy: Policy, used: number): Promise<void> {
  await until(`${used} units are in use`, async () => (await usedOf(server, policy)) === used)
}
