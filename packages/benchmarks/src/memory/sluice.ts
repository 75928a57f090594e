import {
  createLimiter,
  fixedWindow,
  gcra,
  memoryStore,
  slidingWindow,
  type Policies,
  type Policy,
} from '@sluice/core'
import { synchronous, threeLimits, type Contender, type Decider } from './contender.js'

export const ours: readonly Contender[] = [
  sluice('fixedWindow', (limit, window) => fixedWindow({ limit, window })),
  sluice('slidingWindow', (limit, window) => slidingWindow({ limit, window })),
  sluice('gcra', (limit, window) => gcra({ limit, window })),
]

function sluice(builder: string, policy: (limit: number, windowMs: number) => Policy): Contender {
  return {
    name: `Sluice, ${builder}`,
    async open({ limit, windowMs, keys }) {
      return decider(policy(limit, windowMs), 2 * keys)
    },
    async openThree({ limit: most, keys }) {
      const [minute, hour, day] = threeLimits(most).map(({ limit, windowMs }) =>
        policy(limit, windowMs),
      )
      return decider({ minute, hour, day }, 6 * keys)
    },
  }
}

function decider(policies: Policies, maxKeys: number): Decider {
  const limiter = createLimiter({ name: 'api', policies, store: memoryStore({ maxKeys }) })
  return synchronous(
    (key) => limiter.consume(key),
    ({ allowed }) => allowed,
  )
}
