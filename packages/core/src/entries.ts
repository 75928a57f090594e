import { ruleOf, sharePolicy } from './algorithms/registry.js'
import { optionsObject } from './option-readers.js'
import { isPolicy, type Policy } from './policy.js'
import { sluiceError } from './errors.js'
import { joinKey, type Key } from './keys.js'
import type { Entry } from './stores/store.js'

/** One policy, whose name is then 'default', or a record of named ones. */
export type Policies = Policy | Readonly<Record<string, Policy>>

/** In the place of a limiter's policies: it has none of its own, and each call has to bring some. */
export const chosenPerCall: Policies = Object.freeze({})

/** One key for all policies, or a record from policy name to key, where null leaves that policy out. */
export type Keys = Key | Readonly<Record<string, Key | null>>

export interface PolicyChoice {
  /**
   * The policies of this call, in the place of the limiter's: a plan, a tenant's own, day and night. Counts are found by the
   * policy's name, so a changed limit applies at once to what is there.
   */
  readonly policies?: Policies
}

const longestName = 64

/**
 * A limiter's policies in the form that stores work with.
 *
 * @throws SluiceError where a policy is none, or its numbers are wrong
 */
export function entriesOf(limiter: string, policies: Policies): readonly Entry[] {
  const where = `limiter "${limiter}"`
  if (isPolicy(policies)) return [entryOf(limiter, 'default', policies)]
  const named = Object.entries(optionsObject(where, policies, ['name: policy', '…']))
  if (named.length === 0) {
    throw sluiceError('SLUICE_OPTION_MISSING', where, 'policies', 'at least one policy')
  }
  return named.map(([name, policy]) => entryOf(limiter, name, policy))
}

/** The entries that a request asks, and whose state each of them counts in. */
export interface Addressed {
  readonly entries: readonly Entry[]
  readonly keys: readonly string[]
}

/**
 * Finds each entry's key.
 *
 * @throws SluiceError SLUICE_KEY_INVALID, SLUICE_KEY_MISSING, SLUICE_POLICY_NAME_UNKNOWN: never a free pass
 */
export function addressed(limiter: string, entries: readonly Entry[], key: Keys): Addressed {
  if (isKey(key)) {
    return { entries, keys: repeated(joinedKey(limiter, key), entries.length) }
  }
  const names = entries.map(({ name }) => name)
  const stray = Object.keys(key).find((name) => !names.includes(name))
  if (stray !== undefined) {
    throw sluiceError('SLUICE_POLICY_NAME_UNKNOWN', limiter, stray, names)
  }
  // Names such as `constructor` are found in every object: only its own count.
  const own = new Map<string, Key | null>(Object.entries(key))
  const asked = entries.filter(({ name }) => own.get(name) !== null)
  return { entries: asked, keys: asked.map(({ name }) => keyOf(limiter, name, own.get(name))) }
}

/** One key for each entry. */
function repeated(key: string, count: number): readonly string[] {
  const keys = [key]
  for (let i = 1; i < count; i++) keys.push(key)
  return keys
}

function entryOf(limiter: string, name: string, policy: unknown): Entry {
  const where = `limiter "${limiter}", policy "${name}"`
  if (name === '' || name.length > longestName) {
    const expected = `a name of 1 to ${longestName} characters`
    throw sluiceError('SLUICE_OPTION_INVALID', where, 'policies', name, expected)
  }
  return { limiter, name, ...ruleOf(policy, where) }
}

/** Makes what finds, for each entry, the one with a share of its limit. */
export function sharing(share: number): (entry: Entry) => Entry {
  const shared = new WeakMap<Entry, Entry>()
  return function shareOf(entry) {
    if (share === 1) return entry
    const known = shared.get(entry)
    if (known !== undefined) return known
    const made = entryOf(entry.limiter, entry.name, sharePolicy(entry.policy, share))
    shared.set(entry, made)
    return made
  }
}

/** Whether all policies count by this one key. */
export function isKey(key: Keys): key is Key {
  return typeof key !== 'object' || key === null || Array.isArray(key)
}

function keyOf(limiter: string, name: string, key: Key | null | undefined): string {
  if (key === undefined) throw sluiceError('SLUICE_KEY_MISSING', limiter, name)
  return joinedKey(limiter, key)
}

function joinedKey(limiter: string, key: unknown): string {
  const text = joinKey(key)
  if (text === undefined) throw sluiceError('SLUICE_KEY_INVALID', limiter, key)
  return text
}
