import type { Policy } from '@sluice/core'
import { expect } from 'vitest'
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

/**
 * Sends a request and closes its connection while the handler runs. Its unit is in use until then, and is available again before the handler ends.
 *
 * @param others the units that are in use besides
 */
export async function hangUpDuring(
  answer: string,
  server: TestServer,
  policy: Policy,
  others: number,
): Promise<void> {
  const sent = server.send({ 'x-answer': answer })
  await server.holding(1)
  if (answer !== 'hold') await sent.begun
  expect(await usedOf(server, policy)).toBe(others + 1)
  sent.hangUp()
  await untilUsed(server, policy, others)
  server.letGo()
}
