import { sluiceError } from '../../errors.js'
import { storeContract, type BoundPolicy, type Store } from '../../stores/store.js'

/**
 * Makes the function that checks whether a store can keep the counts of some policies. A store that keeps the records of a key in one row cannot keep any
 * number of them.
 */
export function storeCheck(store: Store): (policies: readonly BoundPolicy[]) => void {
  const limits = store[storeContract]?.largestLimits
  return function assertKept(policies) {
    if (limits === undefined) return
    for (const { limiter, name, policy, steps, params } of policies) {
      const most = Object.hasOwn(limits, policy.kind) ? limits[policy.kind] : Infinity
      const limit = steps.quota(params)
      if (limit <= most) continue
      const where = `limiter "${limiter}", policy "${name}"`
      const expected = `at most ${most} for "${policy.kind}" over this store, which keeps its records in one row`
      throw sluiceError('SLUICE_OPTION_INVALID', where, 'limit', limit, expected, advice)
    }
  }
}

const advice = 'slidingWindow has no records, so its limit can be any number'
