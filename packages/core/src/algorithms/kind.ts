import { sluiceError } from '../errors.js'
import { markBuilt } from '../options/readers.js'
import { isPolicy, type Block, type Policy } from '../policy.js'
import type { Algorithm, Params } from './algorithm.js'

/** The names of the builders. The policy of a kind that this program does not contain is known, but cannot be used. */
export const kindNames = [
  'fixedWindow',
  'calendarWindow',
  'slidingWindow',
  'slidingLog',
  'tokenBucket',
  'leakyBucket',
  'leakyQueue',
  'gcra',
  'concurrency',
  'staged',
  'unlimited',
] as const

export type PolicyKind = (typeof kindNames)[number]

/** A kind of policy: its builder, its steps, and how its numbers are passed to the steps. */
export interface Kind<C extends Policy = Policy, P extends object = Params> {
  /** The builder. It checks data from a file in the same way as the options of a program. */
  build(options: object): C
  /** The options that are quotas or policies with quotas. A share of the policy has that share of each of them. */
  readonly quotas: readonly string[]
  steps(policy: C): Algorithm<P>
  params(policy: C): P
}

/** A policy in the form for the stores: its steps and its numbers. */
export interface ResolvedPolicy {
  /** The builder's name. */
  readonly kind: string
  readonly policy: Policy
  readonly steps: Algorithm
  readonly params: Params
  readonly block: Block | undefined
}

/** The kinds that this program contains, by the names of their builders. */
const kinds = new Map<string, Kind>()

export function registerKind(name: string, kind: Kind): void {
  kinds.set(name, kind)
}

/** The policy that a builder returns: frozen, and without the field `block` if it has none. The builder brings its kind into the program. */
export function policyOf<P extends Policy>(kind: Kind, policy: P, block: Block | undefined): P {
  registerKind(policy.kind, kind)
  return Object.freeze(block === undefined ? policy : { ...policy, block: Object.freeze(block) })
}

/**
 * Finds the algorithm of a policy and checks the policy as its builder does, because it may come from a file.
 *
 * @throws SluiceError SLUICE_POLICY_UNKNOWN, SLUICE_ALGORITHM_MISSING, or the errors of the builder
 */
export function resolvePolicy(policy: unknown, where: string): ResolvedPolicy {
  if (!isPolicy(policy)) throw sluiceError('SLUICE_POLICY_UNKNOWN', where, policy, kindNames)
  const { kind: name, ...options } = policy
  const kind = kinds.get(name)
  if (kind === undefined) {
    throw kindNames.some((known) => known === name)
      ? sluiceError('SLUICE_ALGORITHM_MISSING', where, name)
      : sluiceError('SLUICE_POLICY_UNKNOWN', where, policy, kindNames)
  }
  markBuilt(options)
  markBuilt(options.block)
  const checked = kind.build(options)
  return {
    kind: name,
    policy: checked,
    steps: kind.steps(checked),
    params: kind.params(checked),
    block: checked.block,
  }
}

/** Whether the policy grants leases. */
export function hasLeases({ steps }: Pick<ResolvedPolicy, 'steps'>): boolean {
  return steps.token !== undefined
}

/** Whether a policy grants leases, in the form in which an application passes it. */
export function grantsLeases(policy: Policy): boolean {
  const kind = kinds.get(policy.kind)
  return kind !== undefined && hasLeases({ steps: kind.steps(policy) })
}

/** The same policy with a share of each quota, rounded up: the part of one process while several processes cannot count together. */
export function sharePolicy(policy: Policy, share: number): Policy {
  const shared: Record<string, unknown> = { ...policy }
  for (const quota of kinds.get(policy.kind)?.quotas ?? []) {
    const whole = shared[quota]
    if (typeof whole === 'number') shared[quota] = Math.ceil(rounded(whole * share))
    else if (isPolicy(whole)) shared[quota] = sharePolicy(whole, share)
  }
  return { ...shared, kind: policy.kind }
}

/** Removes the rounding error of a product: 70 × 0.1 is 7.000000000000001. */
function rounded(product: number): number {
  return Number(product.toPrecision(14))
}

/** The form of a policy's state: the algorithm and the number of cells. Each form of a policy name has a count of its own. */
export function layoutOf({ steps, params }: Pick<ResolvedPolicy, 'steps' | 'params'>): string {
  const { times, counts } = steps.size(params)
  return `${steps.id} ${times + counts}`
}
