import type { Setup } from './contender.js'

export type Fields = readonly (readonly [name: string, value: string])[]

/**
 * The least code that limits requests: a Map and three headers. It never removes a key. Returns the headers for a request of an address, or
 * undefined if it is over the limit.
 */
export function byHand({ limit, windowMs }: Setup): (address: string) => Fields | undefined {
  const counters = new Map<string, { count: number; endsAt: number }>()
  return (address) => {
    const now = Date.now()
    let counter = counters.get(address)
    if (counter === undefined || counter.endsAt <= now) {
      counter = { count: 0, endsAt: now + windowMs }
      counters.set(address, counter)
    }
    counter.count++
    if (counter.count > limit) return undefined
    return [
      ['X-RateLimit-Limit', String(limit)],
      ['X-RateLimit-Remaining', String(limit - counter.count)],
      ['X-RateLimit-Reset', String(Math.ceil((counter.endsAt - now) / 1000))],
    ]
  }
}
