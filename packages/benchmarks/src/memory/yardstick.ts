import { atOnce, type Contender } from './contender.js'

interface Counter {
  count: number
  endsAt: number
}

/** The least that counting in JavaScript takes: a look into a Map, the time, and a counter. It forgets nobody, and explains nothing. */
export const bareMap: Contender = {
  name: 'bare `Map`',
  async open({ limit, windowMs }) {
    const counters = new Map<string, Counter>()
    return atOnce((key) => {
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
    })
  },
}
