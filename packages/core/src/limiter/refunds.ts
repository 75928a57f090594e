import { hasLeases } from '../algorithms/kind.js'
import { sluiceError } from '../errors.js'
import { isList, isRecord, isText } from '../options/predicates.js'
import { checked, optional, readOptions } from '../options/readers.js'
import { isExempt } from '../stores/override.js'
import { noLease, partOf, type RefundReceiptRequest } from '../stores/store.js'
import { assertNames } from './arguments.js'
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
  for (const { request } of receipts) {
    const foreign = request.policies.find((policy) => policy.limiter !== limiter)
    if (foreign) throw sluiceError('SLUICE_DECISION_FOREIGN', limiter, foreign.limiter)
  }
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
  { request, result }: Receipt,
  names: readonly string[] | undefined,
  now: number | undefined,
): readonly RefundReceiptRequest[] {
  const { allowed, states, source = 'store' } = result
  if (request.verb !== 'consume' || !allowed) return []
  const taken = [...request.policies.keys()].filter((i) => !isExempt(states[i]))
  const named = taken.filter((i) => names?.includes(request.policies[i].name) !== false)
  const left = markRefunded(request, named)
  if (left.length === 0) return []
  const { policies, keys, cost } = partOf(request, left)
  const lease = policies.some(hasLeases) ? request.lease : noLease
  const receipts = left.map((i) => states[i])
  return [{ verb: 'refundReceipt', policies, keys, now, lease, cost, receipts, source }]
}

/** The policies of each call that were refunded, by their indices. A second refund does nothing, no matter which limiter of the name is called. */
const refunded = new WeakMap<object, Set<number>>()

/** Marks policies of a call as refunded. Returns those that were not refunded before. */
function markRefunded(request: object, indices: readonly number[]): readonly number[] {
  const known = refunded.get(request) ?? new Set()
  refunded.set(request, known)
  const left = indices.filter((index) => !known.has(index))
  for (const index of left) known.add(index)
  return left
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
