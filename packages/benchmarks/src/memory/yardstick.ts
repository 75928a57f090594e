import { synchronous, type Contender } from './contender.js'

interface Counter {
  count: number
  endsAt: number
}

/** The least work that counting in JavaScript takes: a look-up in a Map, the time, and a counter. It never removes a key. */
export const bareMap: Contender = {
  name: 'bare `Map`',
  async open({ limit, windowMs }) {
    const counters = new Map<string, Counter>()

    function decide(key: string): boolean {
      const now = Date.now()
      const counter = counters.get(key)
      if (counter === undefined) {
        counters.set(key, { count: 1, endsAt: now + windowMs })
        return limit > 0
      }
      if (counter.endsAt <= now) {
        counter.count = 0
        counter.endsAt = now + windowMs
      }
      return ++counter.count <= limit
    }

    return synchronous(decide, (allowed) => allowed)
  },
}
