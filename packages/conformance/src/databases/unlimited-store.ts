import type { AsyncStore } from '@sluice/core'

const storeContract = Symbol.for('@sluice/core:store')

/**
 * The store of a database, without the largest limits of logs and leases: the suites have limits of millions whose few requests have large costs, so that their
 * records fit into a row.
 */
export function unlimitedStore(store: AsyncStore): AsyncStore {
  const contract: unknown = Reflect.get(store, storeContract)
  if (typeof contract !== 'object' || contract === null) throw new TypeError('no contract')
  return Object.assign({ ...store }, { [storeContract]: { ...contract, largestLimits: undefined } })
}
