import { ruleOf, sharePolicy } from '../algorithms/kind.js'
import { isList, isRecord } from '../options/predicates.js'
import { optionsObject } from '../options/readers.js'
import { isPolicy, type Policy } from '../policy.js'
import { sluiceError, type SluiceError } from '../errors.js'
import { isNotLimited, joinKey, wrongPart, type Key, type NotLimited } from '../keys.js'
import type { BoundPolicy } from '../stores/store.js'
import { watchPolicyNames } from './checks/policy-names.js'

/** One policy, which gets the name 'default', or a record from name to policy. */
export type Policies = Policy | Readonly<Record<string, Policy>>

/** The policies of a limiter whose calls pass their own policies. */
export const chosenPerCall: Policies = Object.freeze({})

/** One key for all policies, or a record from policy name to key. `notLimited` instead of a key excludes that policy, or all policies. */
export type Keys = Key | NotLimited | Readonly<Record<string, Key | NotLimited>>

/** The option `policies` of every call of a limiter. */
export interface PolicyChoice {
  /**
   * The policies of this call, in place of those of the limiter: for a plan, a tenant, a time of day. Counts belong to the name of a policy, so a
   * changed limit applies at once to the units that already count. Another algorithm, or another number of buckets, has a count of its own under the
   * name.
   */
  readonly policies?: Policies
}

const longestName = 64

/**
 * Turns policies into the entries of a request: each with its limiter, its name and its steps.
 *
 * @throws SluiceError if a value is not a policy, or its numbers are invalid
 */
export function bindPolicies(limiter: string, policies: Policies): readonly BoundPolicy[] {
  const where = `limiter "${limiter}"`
  if (isPolicy(policies)) return [bindPolicy(limiter, 'default', policies)]
  const named = Object.entries(optionsObject(where, policies, ['name: policy', '…']))
  if (named.length === 0) {
    throw sluiceError('SLUICE_OPTION_MISSING', where, 'policies', 'at least one policy')
  }
  return named.map(([name, policy]) => bindPolicy(limiter, name, policy))
}

/**
 * Makes the function that binds the policies of a call, each object of policies once. Undefined means the limiter's own policies.
 *
 * @param check throws if the store cannot keep the counts of these policies
 */
export function createBinder(
  limiter: string,
  own: readonly BoundPolicy[] | undefined,
  check: (policies: readonly BoundPolicy[]) => void,
): (policies: Policies | undefined) => readonly BoundPolicy[] {
  const bound = new WeakMap<Policies, readonly BoundPolicy[]>()
  const watchNames = watchPolicyNames(limiter)

  return function entriesFor(policies) {
    if (policies === undefined) {
      if (own === undefined) throw sluiceError('SLUICE_POLICIES_MISSING', limiter)
      return own
    }
    let entries = bound.get(policies)
    if (entries === undefined) {
      entries = bindPolicies(limiter, policies)
      check(entries)
      watchNames(entries)
      bound.set(policies, entries)
    }
    return entries
  }
}

/** Whether a policy has a state. */
export function counts({ steps }: BoundPolicy): boolean {
  return !steps.countsNothing
}

const counted = new WeakMap<readonly BoundPolicy[], readonly BoundPolicy[]>()

/** The policies that have a state. The same list each time, by which other values are cached. */
export function countedOf(policies: readonly BoundPolicy[]): readonly BoundPolicy[] {
  let known = counted.get(policies)
  if (known === undefined) {
    known = policies.every(counts) ? policies : policies.filter(counts)
    counted.set(policies, known)
  }
  return known
}

/** The entries of a request, and the key of each entry. */
export interface ResolvedKeys {
  readonly entries: readonly BoundPolicy[]
  readonly keys: readonly string[]
}

/**
 * Finds the key of each entry. An invalid or missing key is an error, so that no mistake makes a request unlimited.
 *
 * @throws SluiceError SLUICE_KEY_INVALID, SLUICE_KEY_MISSING, SLUICE_POLICY_NAME_UNKNOWN
 */
export function resolveKeys(
  limiter: string,
  entries: readonly BoundPolicy[],
  key: Keys,
): ResolvedKeys {
  if (isNotLimited(key)) return { entries: [], keys: [] }
  if (isKey(key)) {
    return { entries, keys: repeated(joinedKey(limiter, key), entries.length) }
  }
  for (const given of Object.keys(key)) {
    if (entries.some(({ name }) => name === given)) continue
    const names = entries.map(({ name }) => name)
    throw sluiceError('SLUICE_POLICY_NAME_UNKNOWN', limiter, given, names)
  }
  const asked: BoundPolicy[] = []
  const keys: string[] = []
  for (const entry of entries) {
    // Only own properties count: every object inherits names such as `constructor`.
    if (!Object.hasOwn(key, entry.name))
      throw sluiceError('SLUICE_KEY_MISSING', limiter, entry.name)
    const own = key[entry.name]
    if (isNotLimited(own)) continue
    asked.push(entry)
    keys.push(joinedKey(limiter, own, entry.name))
  }
  // The same list each time, by which other values are cached.
  return { entries: asked.length === entries.length ? entries : asked, keys }
}

/** The list of one key for several policies. */
export function repeated(key: string, count: number): readonly string[] {
  const keys = [key]
  for (let i = 1; i < count; i++) keys.push(key)
  return keys
}

function bindPolicy(limiter: string, name: string, policy: unknown): BoundPolicy {
  const where = `limiter "${limiter}", policy "${name}"`
  if (name === '' || name.length > longestName) {
    const expected = `a name of 1 to ${longestName} characters`
    throw sluiceError('SLUICE_OPTION_INVALID', where, 'policies', name, expected)
  }
  return { limiter, name, ...ruleOf(policy, where) }
}

/** Returns a function that finds, for an entry, the same entry with a share of its limit. */
export function sharing(share: number): (entry: BoundPolicy) => BoundPolicy {
  const shared = new WeakMap<BoundPolicy, BoundPolicy>()
  return function shareOf(entry) {
    if (share === 1) return entry
    const known = shared.get(entry)
    if (known !== undefined) return known
    const made = bindPolicy(entry.limiter, entry.name, sharePolicy(entry.policy, share))
    shared.set(entry, made)
    return made
  }
}

/** Whether the value is one key for all policies, and not a record of keys. */
export function isKey(key: Keys): key is Key | NotLimited {
  return !isRecord(key)
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
