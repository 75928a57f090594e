import { tokenBucket } from '@sluice/core'
import { ofTokenBuckets, sampleOf, type Sample } from './sample.js'

export const bucketsBornPartFull: readonly Sample[] = [
  tokenBucket({ capacity: 10, refill: 10, every: '1s', initial: 0 }),
  tokenBucket({ capacity: 10, refill: 3, every: '1h', initial: 4 }),
  tokenBucket({ capacity: 5, refill: 1, every: '1d', initial: 1 }),
  tokenBucket({ capacity: 1, refill: 1, every: '7d', initial: 0 }),
  tokenBucket({ capacity: 10_000_000, refill: 10_000_000, every: '1s', initial: 1 }),
  tokenBucket({ capacity: 13, refill: 1_000_003, every: '999ms', initial: 12 }),
].map((policy) => sampleOf(policy, ofTokenBuckets))
