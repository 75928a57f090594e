import { layoutOf } from '../algorithms/kind.js'
import { sluiceError, type SluiceError } from '../errors.js'
import type { LimiterPolicy, Store } from '../stores/store.js'
import { counts } from './limiter-policies.js'

/** A name that a limiter uses in a store. All limiters that use it there have the same content for it. */
export interface NameUse {
  readonly name: string
  readonly content: string
  /** The error if another limiter uses the name with this content. */
  conflictWith(content: string): SluiceError | undefined
}

/** The content of a name in use. Its limiters keep it alive; the store's list of names does not. */
interface Claim {
  readonly content: string
  /** The number of its limiters that have not been closed. */
  limiters: number
}

type Claims = Map<string, WeakRef<Claim>>

const byStore = new WeakMap<Store, Claims>()
const byLimiter = new WeakMap<object, readonly Claim[]>()

/** Removes the names of limiters that were collected. A name is free before that, so only memory depends on it. */
const collected = new FinalizationRegistry<readonly [Claims, string]>(([claims, name]) => {
  if (claims.get(name)?.deref() === undefined) claims.delete(name)
})

/**
 * Claims the names that a limiter uses, until it is closed or collected. Claims none of them if one is in use with another content.
 *
 * @throws SluiceError the error of that conflict
 */
export function claimNames(limiter: object, store: Store, uses: readonly NameUse[]): void {
  const claims: Claims = byStore.get(store) ?? new Map()
  byStore.set(store, claims)
  const found = uses.map(({ name, conflictWith }) => {
    const claim = claims.get(name)?.deref()
    if (claim === undefined || claim.limiters === 0) return undefined
    const conflict = conflictWith(claim.content)
    if (conflict !== undefined) throw conflict
    return claim
  })
  const claimed = uses.map(({ name, content }, i) => found[i] ?? newClaim(claims, name, content))
  for (const claim of claimed) claim.limiters++
  byLimiter.set(limiter, claimed)
}

function newClaim(claims: Claims, name: string, content: string): Claim {
  const claim = { content, limiters: 0 }
  claims.set(name, new WeakRef(claim))
  collected.register(claim, [claims, name])
  return claim
}

/** Frees the names of a limiter that is closed. */
export function freeNames(limiter: object): void {
  for (const claim of byLimiter.get(limiter) ?? []) claim.limiters--
  byLimiter.delete(limiter)
}

/** The names of the policies of a limiter. Under one name, policies of different layouts would each have a count of their own. */
export function layoutNames(policies: readonly LimiterPolicy[]): readonly NameUse[] {
  return policies.filter(counts).map((policy) => {
    const { limiter, name } = policy
    const content = layoutOf(policy)
    return {
      name: JSON.stringify(['layout', limiter, name]),
      content,
      conflictWith: (other) =>
        other === content ? undefined : sluiceError('SLUICE_NAME_TAKEN', limiter, name),
    }
  })
}
