import { sluiceError } from '../errors.js'
import { isCount, isRecord } from '../options/predicates.js'
import type { BoundPolicy, Cost } from '../stores/store.js'

/** The cost of a request: one number for all policies, or a number for each policy by its name. */
export type Costs = number | Readonly<Record<string, number>>

/**
 * Reads the cost of a call for those of its policies that have a key. A policy that a record leaves out takes 1.
 *
 * @param entries all policies of the call: a record can name each of them
 * @throws SluiceError SLUICE_COST_INVALID, SLUICE_POLICY_NAME_UNKNOWN
 */
export function costOf(
  limiter: string,
  entries: readonly BoundPolicy[],
  asked: readonly BoundPolicy[],
  costs: unknown,
): Cost {
  if (costs === undefined) return 1
  if (!isPlainRecord(costs)) return checkedCost(limiter, costs)
  const names = entries.map(({ name }) => name)
  for (const [name, cost] of Object.entries(costs)) {
    if (!names.includes(name)) throw sluiceError('SLUICE_POLICY_NAME_UNKNOWN', limiter, name, names)
    checkedCost(limiter, cost)
  }
  // Only own properties count: every object inherits names such as `constructor`.
  const each = asked.map(({ name }) =>
    Object.hasOwn(costs, name) ? checkedCost(limiter, costs[name]) : 1,
  )
  const [first = 1] = each
  return each.every((cost) => cost === first) ? first : each
}

function checkedCost(limiter: string, cost: unknown): number {
  if (!isCount(cost)) throw sluiceError('SLUICE_COST_INVALID', limiter, cost)
  return cost
}

/** A date, a wrapped number or an instance of a class is a mistake, and no record without names. */
function isPlainRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isRecord(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  const isPlain = prototype === Object.prototype || prototype === null
  return isPlain && Object.getOwnPropertySymbols(value).length === 0
}
