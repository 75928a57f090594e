import { fixedWindow, gcra, slidingWindow, tokenBucket, type Policy } from '@sluice/core'

/** No unit expires and no window ends while the test runs: the next boundary on the clock is always half an hour ahead. */
const halfAnHour = 1_800_000
const offset = (Date.now() + halfAnHour) % (2 * halfAnHour)
export const fifty: readonly { readonly policy: Policy; readonly name: string }[] = [
  fixedWindow({ limit: 50, window: '1h' }),
  fixedWindow({ limit: 50, window: '1h', align: 'clock', offset }),
  slidingWindow({ limit: 50, window: '365d' }),
  gcra({ limit: 50, window: '365d' }),
  tokenBucket({ capacity: 50, refill: 1, every: '30d' }),
].map((policy) => ({ policy, name: JSON.stringify(policy) }))
