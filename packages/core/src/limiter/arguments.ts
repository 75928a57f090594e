import { sluiceError } from '../errors.js'
import {
  isInstance,
  isNotLimited,
  joinKey,
  keyError,
  wrongPart,
  type CountedKey,
  type Key,
  type NotLimited,
} from '../keys.js'
import { isCount, isList, isPlainRecord, isRecord, isText } from '../options/predicates.js'
import { checked, type OptionReader } from '../options/readers.js'
import { someOf, type Cost, type LimiterPolicy } from '../stores/store.js'
import type { DecisionMode } from './decision.js'
import type { PolicyChoice } from './limiter-policies.js'

/** Options of `peek`. */
export interface PeekOptions extends PolicyChoice {
  /**
   * Units that the request takes: a whole number, or a record from the name of a policy to a number. A policy that the record leaves out takes 1. A cost of 0
   * is allowed if the key is not blocked and not over its limit.
   *
   * @default 1
   */
  readonly cost?: Costs | undefined
}

/** Options of `consume`. */
export interface ConsumeOptions extends PeekOptions {
  /**
   * The owner of the lease, for `concurrency` policies. An owner that holds units is allowed again without taking further units.
   *
   * @default each request has an owner of its own
   */
  readonly owner?: string | undefined
  /**
   * The effect of a denial, for a caller that does not deny the request: `'dryRun'`, `'shadow'` or `'tagging'`. The events of `sluice:decision` and
   * `sluice:denial` contain it; nothing else reads it.
   *
   * @default 'enforced'
   */
  readonly mode?: DecisionMode | undefined
  /** The object that the decision is about, such as an HTTP request. The events of `sluice:decision` and `sluice:denial` contain it; nothing else reads it. */
  readonly request?: unknown
}

/** One element of the list that `consumeMany` and `peekMany` take. */
export interface KeyAndCost extends PeekOptions {
  /** The key, or a key for each policy by its name. */
  readonly key: Keys
}

/** Options of `refund(decision)`. */
export interface RefundOptions {
  /**
   * The names of the policies to refund, each of which is refunded once. Without it, all policies of the decision are. A name that the decision does not have
   * is an error.
   */
  readonly policies?: readonly string[] | undefined
}

/** Options of the methods that change what a key has. */
export interface ChangeOptions extends PolicyChoice {
  /** The name of the only policy to change. Without it, every policy that counts the key is changed. */
  readonly policy?: string | undefined
}

/** Options of `reset`. */
export interface ResetOptions extends ChangeOptions {
  /**
   * Whether to end a block too. Without it, a blocked key is not reset.
   *
   * @default false
   */
  readonly unblock?: boolean | undefined
}

/** One key for all policies, or a record from policy name to key. `notLimited` instead of a key excludes that policy, or all policies. */
export type Keys =
  | Key
  | CountedKey
  | NotLimited
  | Readonly<Record<string, Key | CountedKey | NotLimited>>

/** The cost of a request: one number for all policies, or a number for each policy by its name. */
export type Costs = number | Readonly<Record<string, number>>

/**
 * The policies that count a request: all of them, or the one of this name, except those that a record of keys leaves out with `notLimited`.
 *
 * @throws SluiceError SLUICE_POLICY_NAME_UNKNOWN
 */
export function askedPolicies(
  limiter: string,
  policies: readonly LimiterPolicy[],
  key: Keys,
  only?: string,
): readonly LimiterPolicy[] {
  if (only !== undefined) assertNames(limiter, [only], policies)
  if (!isKey(key)) assertNames(limiter, Object.keys(key), policies)
  const asked = [...policies.keys()].filter((i) => {
    const { name } = policies[i]
    return (only === undefined || name === only) && !isNotLimited(isKey(key) ? key : key[name])
  })
  return someOf(policies, asked)
}

/**
 * The key of each policy. An invalid or missing key is an error, so that no mistake makes a request unlimited.
 *
 * @throws SluiceError SLUICE_KEY_INVALID, SLUICE_KEY_MISSING
 */
export function keysOf(
  limiter: string,
  asked: readonly LimiterPolicy[],
  key: Keys,
): readonly string[] {
  if (asked.length === 0) return []
  if (typeof key === 'string' || isKey(key)) {
    const text = joinKey(key) ?? refuseKey(limiter, key)
    // A literal takes the least memory, and an array that grows takes some for seventeen more.
    return asked.length === 1 ? [text] : asked.map(() => text)
  }
  return asked.map(({ name }) => {
    // Only own properties count: every object inherits names such as `constructor`.
    if (!Object.hasOwn(key, name)) throw sluiceError('SLUICE_KEY_MISSING', limiter, name)
    return joinKey(key[name]) ?? refuseKey(limiter, key[name], name)
  })
}

/** Whether the value is one key for all policies, and not a record of keys. */
export function isKey(key: Keys): key is Key | CountedKey | NotLimited {
  return !isRecord(key) || isInstance(key)
}

/** @param policy the policy of the key, if each policy has its own key */
function refuseKey(limiter: string, key: unknown, policy?: string): never {
  const part = wrongPart(key)
  const value: unknown = part === undefined || !isList(key) ? key : key[part - 1]
  throw keyError(`limiter "${limiter}"`, value, { part, policy })
}

/**
 * Reads the cost of a call for those of its policies that have a key. A policy that a record leaves out takes 1.
 *
 * @param policies all policies of the call: a record can name each of them
 * @throws SluiceError SLUICE_COST_INVALID, SLUICE_POLICY_NAME_UNKNOWN
 */
export function costOf(
  limiter: string,
  policies: readonly LimiterPolicy[],
  asked: readonly LimiterPolicy[],
  costs: unknown,
): Cost {
  if (costs === undefined) return 1
  if (isCount(costs)) return costs
  if (!isPlainRecord(costs)) return checkedCost(limiter, costs)
  assertNames(limiter, Object.keys(costs), policies)
  for (const cost of Object.values(costs)) checkedCost(limiter, cost)
  const each = asked.map(({ name }) => {
    return Object.hasOwn(costs, name) ? checkedCost(limiter, costs[name]) : 1
  })
  const [first = 1] = each
  return each.every((cost) => cost === first) ? first : each
}

function checkedCost(limiter: string, cost: unknown): number {
  if (isCount(cost)) return cost
  throw sluiceError('SLUICE_COST_INVALID', limiter, cost)
}

/** @throws SluiceError SLUICE_POLICY_NAME_UNKNOWN if none of the policies has one of the names */
export function assertNames(
  limiter: string,
  names: readonly string[],
  policies: readonly LimiterPolicy[],
): void {
  const unknown = names.find((name) => !policies.some((policy) => policy.name === name))
  if (unknown === undefined) return
  const known = policies.map(({ name }) => name)
  throw sluiceError('SLUICE_POLICY_NAME_UNKNOWN', limiter, unknown, known)
}

/** @throws SluiceError SLUICE_OPTION_INVALID for units with which a policy could not count exactly */
export function assertExact(
  where: string,
  policies: readonly LimiterPolicy[],
  option: 'n' | 'cost',
  units: number,
): void {
  const max = Math.min(
    ...policies.map(({ steps, params }) => steps.mostUnits?.(params) ?? Infinity),
  )
  if (units <= max) return
  const expected = `at most ${max}: larger numbers cannot be counted exactly`
  throw sluiceError('SLUICE_OPTION_INVALID', where, option, units, expected)
}

/** The owner or the id of a lease. */
export const leaseText: OptionReader<string> = checked(
  'a non-empty string without unpaired surrogates',
  (value): value is string => isText(value) && !/\p{Surrogate}/u.test(value),
)

const decisionModes: readonly DecisionMode[] = ['enforced', 'dryRun', 'shadow', 'tagging']

export const modeName: OptionReader<DecisionMode> = {
  expected: "'enforced', 'dryRun', 'shadow' or 'tagging'",
  read: (value) => decisionModes.find((mode) => mode === value),
}
