import { grantsLeases } from '../../algorithms/kind.js'
import type { Awaitable } from '../../awaitable.js'
import { sluiceError } from '../../errors.js'
import { requestError } from '../../errors/request-error.js'
import { notLimited } from '../../keys.js'
import { isKey, type Keys } from '../../limiter/arguments.js'
import type { Policies } from '../../limiter/limiter-policies.js'
import { namedPolicies } from '../../policy.js'
import type { Count, RateLimitOptions } from '../options/options.js'
import type { ResponseOutcome } from '../request/exchange.js'

/** Which responses count, and when a request takes its units. */
export interface Counting {
  readonly when: Count
  /** Whether a request takes its units at the start, so that a parallel burst cannot exceed the limit. */
  readonly reserve: boolean
}

type Options = RateLimitOptions<never, never>

/** Reads the option `count`. */
export function countOf(count: Options['count'] = 'all'): Counting {
  if (typeof count !== 'object') return { when: count, reserve: true }
  return { when: count.when, reserve: count.reserve ?? true }
}

/**
 * Checks that policies can count by the response.
 *
 * @throws SluiceError SLUICE_OPTIONS_CONFLICT
 */
export function assertCountable(
  { count, wait }: Pick<Options, 'count' | 'wait'>,
  policies: Policies,
): void {
  const { when, reserve } = countOf(count)
  const conflict = (other: string, advice: string): void => {
    throw sluiceError('SLUICE_OPTIONS_CONFLICT', 'rateLimit', 'count', other, advice)
  }
  if (when === 'all') return
  if (!reserve && wait !== undefined) conflict('wait', `With "reserve: false", ${noUnits}`)
  for (const policy of Object.values(namedPolicies(policies))) {
    if (reserve && policy.block?.on === 'exceeded') conflict("block: { on: 'exceeded' }", heldUnits)
    if (!reserve && (grantsLeases(policy) || policy.kind === 'leakyQueue')) {
      conflict(policy.kind, `With "reserve: false", ${noUnits}`)
    }
  }
}

// A block of such requests would last although none of them counts: five parallel logins with the right password would lock an account.
const heldUnits =
  'Requests that will not count hold their units until they end, and could start the block. Pass on: \'reached\', or reserve: false in "count"'
const noUnits = 'a request holds no units while it runs'

/** Whether a response counts. The denial of a limit is neither a success nor a failure of the handler. */
export function isCounted(when: Count, outcome: ResponseOutcome): Awaitable<boolean> {
  if (typeof when === 'function') return when(outcome)
  if (when === 'all') return true
  return outcome.denied !== true && (when === 'successes') === isSuccess(outcome)
}

/** Whether a response counts as a success: a status below 400, which the client has received, and no denial of a limit. */
export function isSuccess({ status, aborted, denied }: ResponseOutcome): boolean {
  return status < 400 && !aborted && denied !== true
}

/**
 * Refuses what depends on a response that the adapter does not see, before anything is taken.
 *
 * @param needed the option that depends on the response; undefined if only the policies may
 * @throws SluiceError SLUICE_RESPONSE_UNSEEN
 */
export function assertWithoutResponse(
  limiter: string,
  policies: Policies,
  needed: string | undefined,
): void {
  const what = needed ?? (mayHaveLease(policies) ? 'a policy of "concurrency"' : undefined)
  if (what !== undefined) throw requestError('SLUICE_RESPONSE_UNSEEN', limiter, what)
}

/** Whether a decision by these policies can have a lease. */
export function mayHaveLease(policies: Policies): boolean {
  return Object.values(namedPolicies(policies)).some(grantsLeases)
}

/** The option that depends on the response. */
export function optionForResponse<R, H>({
  count,
  resetOn,
}: RateLimitOptions<R, H>): string | undefined {
  if (count !== undefined && count !== 'all') return '"count"'
  return resetOn === undefined ? undefined : '"resetOn"'
}

/** The keys of the named policies. Leaves out policies with leases, whose units belong to requests that are still running. */
export function keysToReset(key: Keys, policies: Policies, names: readonly string[]): Keys {
  return Object.fromEntries(
    Object.entries(namedPolicies(policies)).map(([name, policy]) => {
      const isKept = grantsLeases(policy) || !names.includes(name)
      return [name, isKept ? notLimited : isKey(key) ? key : key[name]]
    }),
  )
}
