import {
  createLimiter,
  fixedWindow,
  gcra,
  memoryStore,
  slidingWindow,
  type Policy,
} from '@sluice/core'
import { atOnce, type Contender } from './contender.js'

export const ours: readonly Contender[] = [
  sluice('fixedWindow', (limit, window) => fixedWindow({ limit, window })),
  sluice('slidingWindow', (limit, window) => slidingWindow({ limit, window })),
  sluice('gcra', (limit, window) => gcra({ limit, window })),
]

function sluice(builder: string, policy: (limit: number, windowMs: number) => Policy): Contender {
  return {
    name: `Sluice, ${builder}`,
    async open({ limit, windowMs, keys }) {
      const store = memoryStore({ maxKeys: 2 * keys })
      const limiter = createLimiter({ name: 'api', policies: policy(limit, windowMs), store })
      return atOnce((key) => limiter.consume(key).allowed)
    },
  }
}
