import type { Policy } from '@sluice/core'
import type { Bench } from '../bench.js'
import { until } from '../until.js'

/** How many units of the key `all` are in use. */
export async function usedOf(bench: Bench, policy: Policy): Promise<number> {
  const { policies } = await bench.limiter(policy).status('all')
  return policies['default'].used
}

/** Waits until what follows the responses has been done, and so many units are in use. */
export async function untilUsed(bench: Bench, policy: Policy, used: number): Promise<void> {
  await until(`${used} units are in use`, async () => (await usedOf(bench, policy)) === used)
}
