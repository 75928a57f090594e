import { limit, type Contender } from './contender.js'

/** The least that a client and Redis can say to each other about a key. It never ends, so no limiter can be made of it alone. */
export const incr: Contender = {
  name: '`INCR`',
  async open(client) {
    return async (key) => (await client.incr(`sluice:api:{${key}}`)) <= limit
  },
}
