import type { DecisionMode } from './decision.js'
import { counts, type PolicyChoice, type Policies } from './limiter-policies.js'
import { isCount, isList, isPlainRecord, isRecord } from '../options/predicates.js'
import { sluiceError, type SluiceError } from '../errors.js'
import {
  isCountedKey,
  isNotLimited,
  joinKey,
  wrongPart,
  type CountedKey,
  type Key,
  type NotLimited,
} from '../keys.js'
import { someOf, type LimiterPolicy, type Cost } from '../stores/store.js'

/** Options of `peek`. */
export interface PeekOptions extends PolicyChoice {
  /**
   * Units that the request takes: a whole number, or a record from the name of a policy to a number. A policy that the record leaves out takes 1. A cost of 0
   * is allowed if the key is not blocked and not over its limit.
   *
   * @default 1
   */
  readonly cost?: Costs
}

/** Options of `consume`. */
export interface ConsumeOptions extends PeekOptions {
  /**
   * The owner of the lease, for `concurrency` policies. An owner that holds units is allowed again without taking further units.
   *
   * @default each request has an owner of its own
   */
  readonly owner?: string
  /**
   * The effect of a denial, for a caller that does not deny the request: `'dryRun'`, `'shadow'` or `'tagging'`. The events of `sluice:decision` and `sluice:denial`
   * contain it; nothing else reads it.
   *
   * @default 'enforced'
   */
  readonly mode?: DecisionMode
  /**
   * The object that the decision is about, such as an HTTP request. The events of `sluice:decision` and `sluice:denial` contain it; nothing else
   * reads it.
   */
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
   * The names of the policies to refund, each of which is refunded once. Without it, all policies of the decision are. A name that the decision does
   * not have is an error.
   */
  readonly policies?: readonly string[]
}

/** Options of `reset`. */
export interface ResetOptions extends PolicyChoice {
  /**
   * Whether to end a block too. Without it, a blocked key is not reset.
   *
   * @default false
   */
  readonly unblock?: boolean
}

/** One key for all policies, or a record from policy name to key. `notLimited` instead of a key excludes that policy, or all policies. */
export type Keys =
  | Key
  | CountedKey
  | NotLimited
  | Readonly<Record<string, Key | CountedKey | NotLimited>>

/**
 * The policies that count a request: all of them, except those that a record of keys leaves out with `notLimited`.
 *
 * @throws SluiceError SLUICE_POLICY_NAME_UNKNOWN
 */
export function askedPolicies(
  limiter: string,
  policies: readonly LimiterPolicy[],
  key: Keys,
): readonly LimiterPolicy[] {
  if (isNotLimited(key)) return someOf(policies, [])
  if (isKey(key)) return policies
  for (const given of Object.keys(key)) {
    if (policies.some(({ name }) => name === given)) continue
    const names = policies.map(({ name }) => name)
    throw sluiceError('SLUICE_POLICY_NAME_UNKNOWN', limiter, given, names)
  }
  const asked = [...policies.keys()].filter((i) => !isNotLimited(key[policies[i].name]))
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
  if (isNotLimited(key)) return []
  if (isKey(key)) return repeated(joinedKey(limiter, key), asked.length)
  return asked.map(({ name }) => {
    // Only own properties count: every object inherits names such as `constructor`.
    if (!Object.hasOwn(key, name)) throw sluiceError('SLUICE_KEY_MISSING', limiter, name)
    return joinedKey(limiter, key[name], name)
  })
}

/** The list of one key for several policies. */
export function repeated(key: string, count: number): readonly string[] {
  // A literal takes the least memory, and an array that grows takes some for seventeen more.
  if (count === 1) return [key]
  const keys = new Array<string>(count)
  for (let i = 0; i < count; i++) keys[i] = key
  return keys
}

/** Whether the value is one key for all policies, and not a record of keys. */
export function isKey(key: Keys): key is Key | CountedKey | NotLimited {
  return !isRecord(key) || isCountedKey(key)
}

function joinedKey(limiter: string, key: unknown, policy?: string): string {
  const text = joinKey(key)
  if (text === undefined) throw invalidKey(limiter, key, policy)
  return text
}

/** The error for an invalid key. It names the invalid part, and the policy if each policy has its own key. */
export function invalidKey(limiter: string, key: unknown, policy: string | undefined): SluiceError {
  const part = wrongPart(key)
  const value: unknown = part === undefined || !isList(key) ? key : key[part - 1]
  return sluiceError('SLUICE_KEY_INVALID', `limiter "${limiter}"`, value, { part, policy })
}

/** The cost of a request: one number for all policies, or a number for each policy by its name. */
export type Costs = number | Readonly<Record<string, number>>

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
  if (!isPlainRecord(costs)) return checkedCost(limiter, costs)
  const names = policies.map(({ name }) => name)
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

/** The most units of one `penalize` or `refund`. */
const maxUnits = 2 ** 31

/** Checks of the arguments that the methods of a limiter take. Each invalid argument is an error with a code. */
export interface ArgumentChecks {
  /** The units of a refund or a penalty. */
  count(value: unknown): number
  /** The owner or the id of a lease. */
  text(name: string, value: unknown): string
  assertPenalty(bound: readonly LimiterPolicy[], units: number): void
  /** A block or an exemption of `unlimited` alone would change nothing. */
  assertCounted(bound: readonly LimiterPolicy[]): void
}

export function argumentChecks(where: string, policies: Policies): ArgumentChecks {
  function assertPenalty(bound: readonly LimiterPolicy[], units: number): void {
    const max = Math.min(...bound.map(({ steps, params }) => steps.mostUnits?.(params) ?? Infinity))
    if (units <= max) return
    const expected = `at most ${max}: larger numbers cannot be counted exactly`
    throw sluiceError('SLUICE_OPTION_INVALID', where, 'n', units, expected)
  }

  function assertCounted(bound: readonly LimiterPolicy[]): void {
    if (bound.length === 0 || bound.some(counts)) return
    const expected = 'at least one policy that can deny: "unlimited" allows everything'
    throw sluiceError('SLUICE_OPTION_INVALID', where, 'policies', policies, expected)
  }

  function count(value: unknown): number {
    if (isCount(value) && value <= maxUnits) return value
    const expected = `a whole number from 0 to ${maxUnits}`
    throw sluiceError('SLUICE_OPTION_INVALID', where, 'n', value, expected)
  }

  function text(name: string, value: unknown): string {
    if (typeof value === 'string' && value !== '' && !/\p{Surrogate}/u.test(value)) return value
    const expected = 'a non-empty string without unpaired surrogates'
    throw sluiceError('SLUICE_OPTION_INVALID', where, name, value, expected)
  }

  return { count, text, assertPenalty, assertCounted }
}
