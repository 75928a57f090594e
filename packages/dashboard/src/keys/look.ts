import {
  countedKey,
  notLimited,
  SluiceError,
  type CountedKey,
  type Keys,
  type Limiter,
  type Policy,
  type PolicyChoice,
  type PolicyStatus,
  type Status,
} from '@sluice/core'
import { quoted, refusal } from '../refusal.js'
import type { NamedPolicies } from '../collect/key-policies.js'
import type { KeyPolicyView } from '../view.js'
import { seenStatus, type SeenStatus } from './seen.js'

/** The most policies that are asked about a key, besides those of the limiter itself. */
const mostPolicies = 64

/** The policies that decisions of a limiter have shown. */
export interface KnownPolicies {
  /** Policies by their names, the most likely ones of the key first. */
  readonly policies: ReadonlyMap<string, Policy>
  /** The names of policies that count by the same key. */
  readonly groups: readonly (readonly string[])[]
  /** The names of policies whose limit depends on the request. */
  readonly varying: ReadonlySet<string>
}

/** The same, with the policies that the key itself has. */
export interface KeyKnowledge extends KnownPolicies {
  readonly ofKey: NamedPolicies
}

/** The counts of a key, and the calls that reach exactly these counts. */
export interface KeyLook {
  readonly source: Status['source']
  /** Whether the store has seen the key, and its counts have not expired. */
  readonly isCounted: boolean
  readonly policies: readonly KeyPolicyView[]
  readonly calls: readonly { readonly keys: Keys; readonly options: PolicyChoice | undefined }[]
}

type Counts = readonly (readonly [name: string, status: PolicyStatus])[]

/**
 * Looks at a key. If the policies of the limiter count by different keys, those that know the key are meant, with all policies that count by the same key.
 *
 * @param text the key in the form in which it is counted
 */
export async function lookAt(
  limiter: Limiter,
  text: string,
  { policies: known, groups, varying, ofKey }: KeyKnowledge,
): Promise<KeyLook> {
  const key = countedKey(text)
  const own = await ownStatus(limiter, key)
  const ownNames = Object.keys(own?.policies ?? {})
  const ownCounts = Object.entries(own?.policies ?? {}).filter(([name]) => !ofKey.has(name))
  const chosen = [...new Map([...ofKey, ...known, ...ofKey])]
    .filter(([name]) => ofKey.has(name) || !ownNames.includes(name))
    .slice(0, mostPolicies)
  const others =
    chosen.length === 0
      ? undefined
      : await seenStatus(limiter, key, { policies: Object.fromEntries(chosen) })
  if (own === undefined && others === undefined) {
    throw refusal('SLUICE_VIEW_POLICIES_UNSEEN', quoted(limiter.name))
  }
  const counts: Counts = [...ownCounts, ...Object.entries(others?.policies ?? {})]
  // The policies of the key count by it.
  const seen = new Set([...(own?.seen ?? []), ...(others?.seen ?? [])])
  const knowing = counts.map(([name]) => name).filter((name) => seen.has(name))
  const meant = meantOf(counts, knowing, [...joinedGroups(groups, ownCounts), [...ofKey.keys()]])
  const sources = [own?.source, others?.source].filter((source) => source !== undefined)
  return {
    isCounted: knowing.length > 0,
    source: sources.find((source) => source !== 'store') ?? sources[0],
    policies: counts
      .filter(([name, { limit }]) => meant.has(name) && Number.isFinite(limit))
      .map((one) => viewOf(one, varying.has(one[0]) && !ofKey.has(one[0]))),
    calls: [
      ...ownCall(key, ownNames, new Set([...meant].filter((name) => !ofKey.has(name)))),
      ...chosenCall(
        key,
        chosen.filter(([name]) => meant.has(name)),
      ),
    ],
  }
}

/** Undefined if the limiter has no policies of its own. */
async function ownStatus(limiter: Limiter, key: Keys): Promise<SeenStatus | undefined> {
  try {
    return await seenStatus(limiter, key)
  } catch (error) {
    if (error instanceof SluiceError && error.code === 'SLUICE_POLICIES_MISSING') return undefined
    throw error
  }
}

/** Until a decision has shown the keys of the limiter's own policies, they count by one key. */
function joinedGroups(groups: KnownPolicies['groups'], own: Counts): KnownPolicies['groups'] {
  const names = own.map(([name]) => name)
  const isSeen = groups.some((group) => names.some((name) => group.includes(name)))
  return isSeen ? groups : [...groups, names]
}

/** The names of the policies that count by the key. All of them if none knows it. */
function meantOf(
  counts: Counts,
  knowing: readonly string[],
  groups: KnownPolicies['groups'],
): ReadonlySet<string> {
  if (knowing.length === 0) return new Set(counts.map(([name]) => name))
  const joined = groups.filter((names) => names.some((name) => knowing.includes(name)))
  return new Set([...knowing, ...joined.flat()])
}

function viewOf([name, status]: Counts[number], isUncertain: boolean): KeyPolicyView {
  const counts = { name, ...status }
  return isUncertain ? { ...counts, isUncertain: true } : counts
}

function ownCall(
  key: CountedKey,
  names: readonly string[],
  meant: ReadonlySet<string>,
): KeyLook['calls'] {
  if (!names.some((name) => meant.has(name))) return []
  if (names.every((name) => meant.has(name))) return [{ keys: key, options: undefined }]
  const keys = Object.fromEntries(names.map((name) => [name, meant.has(name) ? key : notLimited]))
  return [{ keys, options: undefined }]
}

function chosenCall(key: Keys, chosen: readonly (readonly [string, Policy])[]): KeyLook['calls'] {
  if (chosen.length === 0) return []
  return [{ keys: key, options: { policies: Object.fromEntries(chosen) } }]
}
