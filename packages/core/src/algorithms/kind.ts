import { sluiceError } from '../errors.js'
import { markBuilt } from '../options/readers.js'
import { isPolicy, type Block, type Policy } from '../policy.js'
import type { Algorithm } from './algorithm.js'

/** A kind of policy: how it is built, and how it is decided. */
export interface Kind<C extends Policy = Policy, P extends object = C> {
  /** The builder. It checks data from a file in the same way as the options of a program. */
  build(options: object): C
  /** The options that are quotas or policies with quotas. A share of the policy has that share of each of them. */
  readonly quotas: readonly string[]
  steps(policy: C): Algorithm<P>
  /** The params of the steps. Without it, the policy itself. */
  params?(policy: C): P
}

export type AnyKind = Kind<Policy, object>

/** A policy as it is decided: its steps and their params. */
export interface ResolvedPolicy {
  readonly policy: Policy
  readonly steps: Algorithm
  readonly params: object
  readonly block: Block | undefined
}

/** The kinds that this program contains, by the names of their builders. A bundled program contains only those whose builders it calls. */
const kinds = new Map<string, AnyKind>()
let hasAll = false

/** Brings every kind into the program. */
export function registerKinds(all: Readonly<Record<string, AnyKind>>): void {
  for (const [name, kind] of Object.entries(all)) kinds.set(name, kind)
  hasAll = true
}

/** The policy that a builder returns: frozen, and without the field `block` if it has none. The builder brings its kind into the program. */
export function policyOf<K extends string, P extends { readonly block: Block | undefined }>(
  name: K,
  kind: AnyKind,
  { block, ...options }: P,
): Readonly<{ kind: K } & Omit<P, 'block'>> & Pick<Policy, 'block'> {
  kinds.set(name, kind)
  const policy = { kind: name, ...options }
  return Object.freeze(block === undefined ? policy : { ...policy, block: Object.freeze(block) })
}

/**
 * Finds the algorithm of a policy and checks the policy as its builder does, because it may come from a file.
 *
 * @throws SluiceError SLUICE_POLICY_UNKNOWN, SLUICE_ALGORITHM_MISSING, or the errors of the builder
 */
export function resolvePolicy(policy: unknown, where: string): ResolvedPolicy {
  const kind = isPolicy(policy) ? kinds.get(policy.kind) : undefined
  if (!isPolicy(policy) || kind === undefined) {
    throw isPolicy(policy) && !hasAll
      ? sluiceError('SLUICE_ALGORITHM_MISSING', where, policy.kind)
      : sluiceError('SLUICE_POLICY_UNKNOWN', where, policy, [...kinds.keys()])
  }
  const { kind: _name, ...options } = policy
  markBuilt(options)
  markBuilt(options.block)
  const checked = kind.build(options)
  return {
    policy: checked,
    steps: kind.steps(checked),
    params: kind.params?.(checked) ?? checked,
    block: checked.block,
  }
}

/** Whether the policy grants leases. */
export function hasLeases({ steps }: Pick<ResolvedPolicy, 'steps'>): boolean {
  return steps.token !== undefined
}

/** Whether a policy that may come from a file grants leases. */
export function grantsLeases(policy: Policy): boolean {
  return kinds.get(policy.kind)?.steps(policy).token !== undefined
}

/** The same policy with a share of each quota, rounded up: the part of one process while several processes cannot count together. */
export function sharePolicy(policy: Policy, share: number): Policy {
  const shared: Record<string, unknown> = { ...policy }
  for (const quota of kinds.get(policy.kind)?.quotas ?? []) {
    const whole = shared[quota]
    // Without the rounding error of a product: 70 × 0.1 is 7.000000000000001.
    if (typeof whole === 'number')
      shared[quota] = Math.min(whole, Math.ceil(+(whole * share).toPrecision(14)))
    else if (isPolicy(whole)) shared[quota] = sharePolicy(whole, share)
  }
  return { ...shared, kind: policy.kind }
}

/** The layout of a policy's row: the algorithm and the number of cells. Each layout under a policy name has a count of its own. */
export function layoutOf({ steps, params }: Pick<ResolvedPolicy, 'steps' | 'params'>): string {
  const { times, counts } = steps.size(params)
  return `${steps.id} ${times + counts}`
}
