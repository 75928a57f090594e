import {
  createLimiter,
  notLimited,
  type Keys,
  type Limiter,
  type Policy,
  type PolicyChoice,
  type Store,
} from '@sluice/core'
import type { RuleSet } from '@sluice/rules'
import { countsOf, type CountLimit, type RuleCount } from '@sluice/rules/check'
import type { KeyArgument } from '../reading/key-text.js'
import type { ExportedOptions } from '../reading/limiters-file.js'

/** The arguments of one call of a limiter's method, and the limits that it uses. */
export interface LimiterCall {
  readonly keys: Keys
  readonly options: PolicyChoice | undefined
  /** The reason for the limit of each policy, if a rule chooses among several. */
  readonly variants: Readonly<Record<string, string | undefined>>
  /** Whether none of the limits counts anything. */
  readonly countsNothing: boolean
}

/** A limiter, and the calls that read or change all counts of a key. */
export interface KnownLimiter {
  readonly limiter: Limiter
  /**
   * No call: no rule counts under such a key.
   *
   * @param policies the names of the policies; empty: all
   * @throws Error if a name is not that of a policy
   */
  callsFor(key: KeyArgument, policies: readonly string[]): Promise<readonly LimiterCall[]>
}

/** A limiter with the exported options, over the store of the command. */
export function limiterOfOptions(options: ExportedOptions, store: Store): KnownLimiter {
  const { name } = options
  // With 'deny', a method fails if the store fails, and no memory store replaces it.
  const common = { name, store, onStoreError: 'deny' } as const
  if ('policies' in options) {
    return ownPolicies(createLimiter({ ...common, policies: options.policies }))
  }
  const { limit, window, algorithm } = options
  const kind = algorithm === undefined ? {} : { algorithm }
  return ownPolicies(createLimiter({ ...common, limit, window, ...kind }))
}

/** A limiter whose calls use its own policies. */
export function ownPolicies(limiter: Limiter): KnownLimiter {
  async function callsFor(
    { key }: KeyArgument,
    policies: readonly string[],
  ): Promise<readonly LimiterCall[]> {
    const call = { keys: key, options: undefined, variants: {}, countsNothing: false }
    if (policies.length === 0) return [call]
    const names = Object.keys((await limiter.status(key)).policies)
    assertKnown(limiter.name, policies, names)
    const keys = names.map((name) => [name, policies.includes(name) ? key : notLimited] as const)
    return [{ ...call, keys: Object.fromEntries(keys) }]
  }
  return { limiter, callsFor }
}

/**
 * A limiter with the counts of a rules document. Without names, a call concerns the counts of those rules that can have such a key: a rule by `user` never
 * counts under an address.
 */
export function limiterOfRules(
  rules: RuleSet,
  store: Store,
  variants: readonly string[],
): KnownLimiter {
  const counts = countsOf(rules)
  if (counts.length === 0) throw new Error(`no rule of "${rules.name}" has a limit`)
  assertVariants(variants, counts)
  const first = Object.fromEntries(counts.map(({ name, limits }) => [name, limits[0].policy]))
  const { name } = rules
  const limiter = createLimiter({ name, policies: first, store, onStoreError: 'deny' })

  async function callsFor(
    { key, parts }: KeyArgument,
    policies: readonly string[],
  ): Promise<readonly LimiterCall[]> {
    assertKnown(
      name,
      policies,
      counts.map(({ name }) => name),
    )
    const named = counts.filter(({ name }) => policies.length === 0 || policies.includes(name))
    const chosen = parts === undefined ? named : named.filter((count) => count.fits(parts))
    return callsOf(key, chosen, variants)
  }
  return { limiter, callsFor }
}

/** One call for each limit among which a rule chooses, because each can have a state of its own. */
function callsOf(
  keys: Keys,
  counts: readonly RuleCount[],
  chosen: readonly string[],
): readonly LimiterCall[] {
  const choices = counts.map((count) => ({ name: count.name, limits: limitsOf(count, chosen) }))
  const most = Math.max(0, ...choices.map(({ limits }) => limits.length))
  return Array.from({ length: most }, (_, i) => {
    const policies: Record<string, Policy> = {}
    const variants: Record<string, string | undefined> = {}
    for (const { name, limits } of choices.filter(({ limits }) => i < limits.length)) {
      policies[name] = limits[i].policy
      variants[name] = limits[i].reason
    }
    const countsNothing = Object.values(policies).every(({ kind }) => kind === 'unlimited')
    return { keys, options: { policies }, variants, countsNothing }
  })
}

/** The limits of a count. If the user chooses some of them, the others are left out. */
function limitsOf({ limits }: RuleCount, chosen: readonly string[]): readonly CountLimit[] {
  const some = limits.filter(({ reason }) => reason !== undefined && chosen.includes(reason))
  return some.length === 0 ? limits : some
}

function assertVariants(chosen: readonly string[], counts: readonly RuleCount[]): void {
  const reasons = counts.flatMap(({ limits }) => limits.flatMap(({ reason }) => reason ?? []))
  const unknown = chosen.find((reason) => !reasons.includes(reason))
  if (unknown === undefined) return
  const known =
    reasons.length === 0 ? 'no rule has several limits' : [...new Set(reasons)].join(', ')
  throw new Error(`--variant: no rule has a limit for "${unknown}". Known: ${known}`)
}

function assertKnown(limiter: string, policies: readonly string[], names: readonly string[]): void {
  const unknown = policies.find((policy) => !names.includes(policy))
  if (unknown === undefined) return
  throw new Error(
    `--policy: the limiter "${limiter}" has no policy "${unknown}". Known: ${names.join(', ')}`,
  )
}
