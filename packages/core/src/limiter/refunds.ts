import { hasLeases } from '../algorithms/kind.js'
import { sluiceError } from '../errors.js'
import { isList, isRecord, isText } from '../options/predicates.js'
import { checked, optional, readOptions } from '../options/readers.js'
import { isExempt } from '../stores/override.js'
import { costAt, noLease, partOf, type RefundReceiptRequest } from '../stores/store.js'
import { assertExact, assertNames, costOf, type Costs } from './arguments.js'
import type { Receipt } from './receipt.js'

/**
 * The requests that refund a decision: one for each call that it combines. For policies that were refunded before or were exempt, and for a call that took
 * nothing, there is none.
 *
 * @param options the second argument of `refund`, and `more` the third one, which only a refund of units takes
 */
export function refundRequests(
  limiter: string,
  receipts: readonly Receipt[],
  options: unknown,
  more: unknown,
  now: number | undefined,
): readonly RefundReceiptRequest[] {
  assertOwn(limiter, receipts)
  const names = namesOf(`limiter "${limiter}"`, options, more)
  if (names !== undefined) {
    const policies = receipts.flatMap(({ request }) => request.policies)
    assertNames(limiter, names, policies)
  }
  return receipts.flatMap((receipt) => refundRequest(receipt, names, now))
}

function namesOf(where: string, options: unknown, more: unknown): readonly string[] | undefined {
  if (typeof options === 'number' || more !== undefined) {
    const expected = 'the decision, and no number of units: it is refunded by the units it took'
    throw sluiceError('SLUICE_OPTION_INVALID', where, 'n', options ?? more, expected)
  }
  return options === undefined ? undefined : readOptions(where, options, readers).policies
}

const readers = {
  policies: optional<readonly string[] | undefined>(
    checked('a list of names of policies', areNames),
    undefined,
  ),
}

function areNames(value: unknown): value is readonly string[] {
  return isList(value) && value.every(isText)
}

function refundRequest(
  receipt: Receipt,
  names: readonly string[] | undefined,
  now: number | undefined,
): readonly RefundReceiptRequest[] {
  const left = taken(receipt).filter((i) => {
    const isNamed = names?.includes(receipt.request.policies[i].name) !== false
    return isNamed && settledOf(receipt).get(i) !== 'refunded'
  })
  const adjusted = left.map((i) => costSettled(receipt, i))
  for (const i of left) settledOf(receipt).set(i, 'refunded')
  return left.length === 0 ? [] : [{ ...partOfReceipt(receipt, left, now), cost: adjusted }]
}

/**
 * The requests that change the cost of a decision: one for each call that it combines. For policies that were refunded or adjusted before, were exempt or have
 * leases, and for a call that took nothing, there is none.
 *
 * @throws SluiceError SLUICE_COST_INVALID, SLUICE_POLICY_NAME_UNKNOWN, SLUICE_DECISION_FOREIGN
 */
export function adjustRequests(
  limiter: string,
  receipts: readonly Receipt[],
  costs: Costs,
  now: number | undefined,
): readonly RefundReceiptRequest[] {
  assertOwn(limiter, receipts)
  const all = receipts.flatMap(({ request }) => request.policies)
  const units = costOf(limiter, all, all, costs)
  const most = typeof units === 'number' ? units : Math.max(...units)
  assertExact(`limiter "${limiter}"`, all, 'cost', most)
  return receipts.flatMap((receipt): readonly RefundReceiptRequest[] => {
    const { policies } = receipt.request
    const isNamed = (name: string): boolean =>
      typeof costs === 'number' || Object.hasOwn(costs, name)
    const left = taken(receipt).filter((i) => {
      return isNamed(policies[i].name) && !hasLeases(policies[i]) && !settledOf(receipt).has(i)
    })
    if (left.length === 0) return []
    const part = partOfReceipt(receipt, left, now)
    const adjusted = left.map((i) => (typeof costs === 'number' ? costs : costs[policies[i].name]))
    left.forEach((i, n) => settledOf(receipt).set(i, adjusted[n]))
    return [{ ...part, adjusted }]
  })
}

function assertOwn(limiter: string, receipts: readonly Receipt[]): void {
  for (const { request } of receipts) {
    const foreign = request.policies.find((policy) => policy.limiter !== limiter)
    if (foreign) throw sluiceError('SLUICE_DECISION_FOREIGN', limiter, foreign.limiter)
  }
}

/** The indices of the policies from which a decision took units. */
function taken({ request, result: { allowed, states } }: Receipt): readonly number[] {
  if (request.verb !== 'consume' || !allowed) return []
  return [...request.policies.keys()].filter((i) => !isExempt(states[i]))
}

function partOfReceipt(
  { request, result: { states, source = 'store' } }: Receipt,
  indices: readonly number[],
  now: number | undefined,
): RefundReceiptRequest {
  const { policies, keys, cost } = partOf(request, indices)
  const lease = policies.some(hasLeases) ? request.lease : noLease
  const receipts = indices.map((i) => states[i])
  return { verb: 'refundReceipt', policies, keys, now, lease, cost, receipts, source }
}

/** The refunds and the adjusted costs of each call, by the indices of its policies. All limiters of a name share them, so that units are refunded and adjusted once. */
const settled = new WeakMap<object, Map<number, 'refunded' | number>>()

function settledOf({ request }: Receipt): Map<number, 'refunded' | number> {
  const known = settled.get(request) ?? new Map<number, 'refunded' | number>()
  settled.set(request, known)
  return known
}

/** The units that a policy of a call has taken by now. */
function costSettled(receipt: Receipt, index: number): number {
  const known = settledOf(receipt).get(index)
  return typeof known === 'number' ? known : costAt(receipt.request.cost, index)
}

/**
 * A decision without a receipt is a copy of one, or another installed copy of this package made it.
 *
 * @throws SluiceError SLUICE_DECISION_FOREIGN
 */
export function assertNoDecision(limiter: string, value: unknown): void {
  if (!isRecord(value) || typeof value['allowed'] !== 'boolean') return
  throw sluiceError('SLUICE_DECISION_FOREIGN', limiter)
}
