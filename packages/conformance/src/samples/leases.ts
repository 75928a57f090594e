import { concurrency, type ConcurrencyPolicy } from '@sluice/core'
import { slidingLogMeaning } from '../models/windows/sliding-log.js'
import { unitsWithin } from './promises.js'
import { sampleOf, type Proof, type Sample } from './sample.js'

const proof: Proof<ConcurrencyPolicy> = {
  quota: ({ limit }) => limit,
  windowMs: ({ lease }) => lease,
  meaning: ({ limit, lease }) => slidingLogMeaning(limit, lease),
  excess: ({ limit, lease }, admissions) => unitsWithin(admissions, lease) - limit,
}

/** No lease is released: the units that are held are those allowed within the time of a lease. */
export const leases: readonly Sample[] = [
  concurrency({ limit: 0, lease: 1000 }),
  concurrency({ limit: 1, lease: 1000 }),
  concurrency({ limit: 5, lease: '7ms' }),
  concurrency({ limit: 3, lease: '1h' }),
  concurrency({ limit: 1, lease: '7d' }),
  concurrency({ limit: 10_000_000, lease: 1000 }),
].map((policy) => sampleOf(policy, proof))
