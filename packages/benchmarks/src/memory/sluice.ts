import { createLimiter, memoryStore, type Policies } from '@sluice/core'
import { builders } from '../builders.js'
import { synchronous, type Contender, type Decider } from './contender.js'

export const ours: readonly Contender[] = builders.map(({ name, one, three }) => ({
  name: `Sluice, ${name}`,
  open: async ({ limit, windowMs, keys }) => decider(one(limit, windowMs), 2 * keys),
  openThree: async ({ limit, keys }) => decider(three(limit), 6 * keys),
}))

function decider(policies: Policies, maxKeys: number): Decider {
  const limiter = createLimiter({ name: 'api', policies, store: memoryStore({ maxKeys }) })
  return synchronous(
    (key) => limiter.consume(key),
    ({ allowed }) => allowed,
  )
}
