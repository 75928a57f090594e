import { limit } from '../../deciding.js'
import type { Contender } from './contender.js'

/** The least work that a count in Redis takes. The key never expires, so `INCR` alone is not a rate limiter. */
export const incr: Contender = {
  name: '`INCR`',
  async open(client) {
    return async (key) => (await client.incr(`sluice:api:{${key}}`)) <= limit
  },
}
