import { hasLeases } from '../algorithms/kind.js'
import { sluiceError } from '../errors.js'
import { isList, isRecord, isText } from '../options/predicates.js'
import { knownOptions } from '../options/readers.js'
import { isExempt } from '../stores/override.js'
import { noLease, partOf, type RefundReceiptRequest, type StoreRequest } from '../stores/store.js'
import type { Receipt } from './receipt.js'

/** The arguments of a refund of a decision. */
export interface RefundCall {
  readonly receipts: readonly Receipt[]
  readonly options: unknown
  /** The third argument, which only a refund of units takes. */
  readonly more: unknown
}

/**
 * Makes the function that turns the refund of a decision into requests: one for each call that the decision combines. For policies that were
 * refunded before or were exempt, and for a call that took nothing, there is none.
 */
export function refundRequests(
  limiter: string,
  injectedTime: () => number | undefined,
): (call: RefundCall) => readonly StoreRequest[] {
  const where = `limiter "${limiter}"`

  return function requestsOf({ receipts, options, more }) {
    for (const one of receipts) assertOwn(one)
    const names = namesOf(options, more)
    if (names !== undefined) assertKnown(names, receipts)
    return receipts.flatMap((one) => requestOf(one, names))
  }

  function requestOf(
    receipt: Receipt,
    names: readonly string[] | undefined,
  ): readonly StoreRequest[] {
    const { request, result } = receipt
    const { verb, policies, keys, lease, cost } = request
    const { allowed, states, source = 'store' } = result
    const asked = [...policies.keys()].filter(
      (i) => names?.includes(policies[i].name) !== false && !isExempt(states[i]),
    )
    const left = verb === 'consume' && allowed ? markRefunded(request, asked) : []
    if (left.length === 0) return []
    const now = injectedTime()
    const whole: RefundReceiptRequest = {
      verb: 'refundReceipt',
      policies,
      keys,
      now,
      lease,
      cost,
      receipts: states,
      source,
    }
    if (left.length === policies.length) return [whole]
    const part = partOf(whole, left)
    return [{ ...part, lease: part.policies.some(hasLeases) ? lease : noLease }]
  }

  function assertOwn({ request: { policies } }: Receipt): void {
    if (policies.every((policy) => policy.limiter === limiter)) return
    throw sluiceError('SLUICE_DECISION_FOREIGN', limiter, policies[0].limiter)
  }

  function namesOf(options: unknown, more: unknown): readonly string[] | undefined {
    if (typeof options === 'number' || more !== undefined) {
      const expected = 'the decision, and no number of units: it is refunded by the units it took'
      throw sluiceError('SLUICE_OPTION_INVALID', where, 'n', options ?? more, expected)
    }
    if (options === undefined) return undefined
    const { policies } = knownOptions(where, options, ['policies'])
    if (policies === undefined || areNames(policies)) return policies
    const expected = 'a list of names of policies'
    throw sluiceError('SLUICE_OPTION_INVALID', where, 'policies', policies, expected)
  }

  function assertKnown(names: readonly string[], receipts: readonly Receipt[]): void {
    const known = receipts.flatMap(({ request }) => request.policies.map(({ name }) => name))
    const stray = names.find((name) => !known.includes(name))
    if (stray !== undefined) throw sluiceError('SLUICE_POLICY_NAME_UNKNOWN', limiter, stray, known)
  }
}

function areNames(value: unknown): value is readonly string[] {
  return isList(value) && value.every(isText)
}

/** The policies of each call that were refunded, by their positions. A second refund does nothing, no matter which limiter of the name is called. */
const refunded = new WeakMap<object, Set<number>>()

/** Marks policies of a call as refunded. Returns those that were not refunded before. */
function markRefunded(request: object, positions: readonly number[]): readonly number[] {
  const known = refunded.get(request) ?? new Set()
  refunded.set(request, known)
  const left = positions.filter((position) => !known.has(position))
  for (const position of left) known.add(position)
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
