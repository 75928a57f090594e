import { leakyQueue, type LeakyQueuePolicy } from '@sluice/core'
import { leakyQueueMeaning } from '../models/buckets/leaky-queue.js'
import { queueCurve } from './promises.js'
import { sampleOf, type Proof, type Sample } from './sample.js'

const proof: Proof<LeakyQueuePolicy> = {
  quota: (policy) => leakyQueueMeaning(policy).quota,
  windowMs: ({ every, leak, maxDelay }) => maxDelay + Math.ceil(every / leak),
  meaning: leakyQueueMeaning,
  excess: ({ leak, every, maxDelay }, admissions) => queueCurve(admissions, leak, every, maxDelay),
}

export const queues: readonly Sample[] = [
  leakyQueue({ leak: 10, every: '1s', maxDelay: '2s' }),
  leakyQueue({ leak: 1, every: '100ms', maxDelay: 0 }),
  leakyQueue({ leak: 3, every: '1s', maxDelay: '1s' }),
  leakyQueue({ leak: 3, every: '1h', maxDelay: '1h' }),
  leakyQueue({ leak: 3, every: 1000, maxDelay: 333 }),
  leakyQueue({ leak: 7, every: 1009, maxDelay: 1000 }),
  leakyQueue({ leak: 1, every: '7d', maxDelay: '30d' }),
  leakyQueue({ leak: 10_000, every: 1000, maxDelay: 50 }),
  leakyQueue({ leak: 1_000_000_000, every: '1d', maxDelay: '5s' }),
].map((policy) => sampleOf(policy, proof))
