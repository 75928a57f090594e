import { slidingWindow } from '../algorithms/sliding-window/index.js'
import { sluiceError } from '../errors.js'
import { isFunction } from '../options/predicates.js'
import {
  checkedIfGiven,
  duration,
  optional,
  optionalQuota,
  type Duration,
  type OptionReader,
} from '../options/readers.js'
import { isPolicy, type Policy } from '../policy.js'

/** A builder that takes `limit` and `window`: `fixedWindow`, `slidingWindow`, `gcra`, or your own. */
export type Algorithm = (options: { limit: number; window: Duration }) => Policy

/** `policies`, or the options in place of it. `L` is the type of `limit`. */
interface LimitOptions<L> {
  readonly limit?: L | undefined
  readonly window?: Duration | undefined
  readonly algorithm?: Algorithm | undefined
  readonly policies?: unknown
}

/** The readers of these options, except `policies`, whose errors name the limiter. */
export const policyReaders: Readonly<
  Record<'limit' | 'window' | 'algorithm', OptionReader<unknown>>
> = {
  limit: optionalQuota,
  window: optional<unknown>(duration, undefined),
  algorithm: checkedIfGiven('a builder that takes { limit, window }, such as gcra', isFunction),
}

/** Two options that exclude each other, and what to do. */
export type Conflict<N extends string> = readonly [first: N, second: N, advice: string]

const oneWay = 'State the limit in one way: "limit" and "window", or "policies"'
const inPolicy = 'Pass it to the builder of the policy instead'

export const policyConflicts: readonly Conflict<keyof LimitOptions<unknown>>[] = [
  ['limit', 'policies', oneWay],
  ['window', 'policies', inPolicy],
  ['algorithm', 'policies', inPolicy],
]

/** @throws SluiceError SLUICE_OPTIONS_CONFLICT if two options are given that exclude each other */
export function assertNoConflict<N extends string>(
  where: string,
  options: { readonly [K in N]?: unknown },
  conflicts: readonly Conflict<N>[],
): void {
  for (const [first, second, advice] of conflicts) {
    if (options[first] !== undefined && options[second] !== undefined) {
      throw sluiceError('SLUICE_OPTIONS_CONFLICT', where, first, second, advice)
    }
  }
}

/**
 * Reads the options in place of `policies`: the limit, and the function that builds its policy.
 *
 * @throws SluiceError SLUICE_OPTION_MISSING if `limit` or `window` is absent
 */
export function shortForm<L>(
  where: string,
  { limit, window, algorithm = slidingWindow }: LimitOptions<L>,
): { readonly limit: L; readonly build: (limit: number) => Policy } {
  if (limit === undefined) {
    const expected = 'it with a "window", or pass "policies" instead'
    throw sluiceError('SLUICE_OPTION_MISSING', where, 'limit', expected)
  }
  if (window === undefined) {
    throw sluiceError('SLUICE_OPTION_MISSING', where, 'window', duration.expected)
  }
  return {
    limit,
    build(limit) {
      const policy = algorithm({ limit, window })
      if (isPolicy(policy)) return policy
      const expected = 'a builder that returns one policy, such as gcra'
      throw sluiceError('SLUICE_OPTION_INVALID', where, 'algorithm', algorithm, expected)
    },
  }
}
