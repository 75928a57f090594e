/** A policy as the script of a plan sees it: all that decides the text of the script, but no number of the policy. */
export interface PolicyShape {
  /** The id of the algorithm. */
  readonly id: number
  readonly moments: number
  readonly counts: number
  readonly views: number
  /** The number of params of its steps. */
  readonly params: number
  /** Whether the params depend on the time, so that the steps may reject it. */
  readonly isDated: boolean
  readonly persistsOnDenial: boolean
  /** When a block starts. */
  readonly blocksOn: 'reached' | 'exceeded' | undefined
  /** The number of the body's keys. */
  readonly bodies: number
  readonly hasLeases: boolean
  /** The number of the key that the policy counts. Policies with one key are neighbours. */
  readonly key: number
  /** Whether the state contains the policy's name: always, except for a state of one policy without a name. */
  readonly isNamed: boolean
  /** Whether the bytes before the cells are not all ASCII, so that a client would change them. */
  readonly isHeadMade: boolean
}

/** All that decides the text of a plan's script. */
export interface PlanShape {
  readonly policies: readonly PolicyShape[]
  /** Whether a request has a cost for each policy. */
  readonly hasCosts: boolean
}

/** More cells than this are not unrolled, because a Lua function has at most 200 local variables. */
const mostUnrolled = 16

export function storedOf({ moments, counts }: Pick<PolicyShape, 'moments' | 'counts'>): number {
  return moments + counts
}

export function widthOf(policy: Pick<PolicyShape, 'moments' | 'counts' | 'views'>): number {
  return storedOf(policy) + policy.views
}

export function isWide(policy: PolicyShape): boolean {
  return storedOf(policy) > mostUnrolled
}

/** The field of the number of cells in a row. */
export function widthByteOf(policy: PolicyShape): number {
  return policy.id > 127 ? storedOf(policy) : 0
}

/**
 * Whether each request has its own keys, which are read and written for it alone. Otherwise a call has each key once, with all its requests. With a body
 * each request has steps of its own.
 */
export function hasOwnKeys({ policies }: PlanShape): boolean {
  return policies.some(({ key, bodies }) => key > 1 || bodies > 0)
}

/** The possible sizes of a count in bytes. All counts of a state that a plan writes have the same size. */
export const sizes: readonly number[] = [2, 4, 7]

/** The format of a row's cells. */
export function formatOf(policy: Pick<PolicyShape, 'moments' | 'counts'>, size: number): string {
  return 'I6'.repeat(policy.moments) + `I${size}`.repeat(policy.counts)
}

export function lengthOf(policy: Pick<PolicyShape, 'moments' | 'counts'>, size: number): number {
  return 6 * policy.moments + size * policy.counts
}

/** The policies of each key. */
export function byKey<P extends PolicyShape>(policies: readonly P[]): readonly (readonly P[])[] {
  const keys = [...new Set(policies.map(({ key }) => key))]
  return keys.map((key) => policies.filter((policy) => policy.key === key))
}
