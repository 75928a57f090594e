import { hasLeases } from '../../algorithms/kind.js'
import { processTime } from '../../clock.js'
import type { PendingRequest } from '../pending.js'
import {
  costAt,
  isDecision,
  isExempt,
  type Answer,
  type BoundPolicy,
  type ConsumeRequest,
  type StoreResult,
  type State,
  type StoreRequest,
} from '../store.js'

/** The maximum time for which a denial is remembered, because a refund in another process may have ended it. */
const rememberedForMs = 1000

/** The maximum number of remembered denials, and of limiters whose last change is remembered. */
const mostDenials = 10_000

interface RememberedDenial {
  readonly identity: string
  readonly request: ConsumeRequest
  readonly states: readonly State[]
  readonly deniedAt: number
  /** The generation of its limiter when it was asked. */
  readonly generation: number
  /** For each policy, whether it denied. */
  readonly denied: readonly boolean[]
}

/**
 * Denies a key that was denied less than a second ago without a call to the store. So under attack, a key costs the store one request per second
 * and process. The only error is that a refund in another process takes effect up to a second late. The cache never allows a request.
 */
export class DenyCache {
  /** In the order of their denial. */
  readonly #denials = new Map<string, RememberedDenial>()
  /** The denials in which a policy denied the key. */
  readonly #byKey = new Map<string, Set<RememberedDenial>>()
  /** The generation of each limiter: the number of the last change of its counts. A denial of an earlier generation is void. */
  readonly #generations = new Map<string, number>()
  #changes = 0
  /** The generation of all other limiters. */
  #cleared = 0

  /** Returns the result of a request that was denied before; undefined if the store has to run it. */
  recall(pending: PendingRequest): StoreResult | undefined {
    const { request } = pending
    if (!isDecision(request)) {
      this.#change(request)
      return undefined
    }
    pending.generation = this.#generationOf(request)
    if (this.#denials.size === 0 || !isCached(request)) return undefined
    const denial = this.#denials.get(identityOf(request))
    if (denial === undefined || denial.generation !== pending.generation) return undefined
    return stillDenied(denial, request, processTime.monotonic())
  }

  /**
   * Notes the answer of the store. A refund, release, reset, block, exemption or penalty changes the counts when it is sent, and again when it is answered: a denial that
   * the store made in between may be older. An allowed request, with a smaller cost or another plan, voids the denials by its keys. It does not void those
   * by other keys: otherwise each allowed request of a tenant would lead to a call for each of the tenant's denied clients.
   */
  note({ request, generation }: PendingRequest, answer: Answer): void {
    if (request.verb === 'consume') {
      if (!('allowed' in answer)) return
      if (answer.allowed) {
        if (this.#denials.size > 0) this.#forgetDeniedBy(request)
      } else if (isCached(request) && generation === this.#generationOf(request)) {
        this.#remember(request, answer, generation)
      }
    } else if (request.verb !== 'peek') this.#change(request)
  }

  #change({ policies: [{ limiter }] }: StoreRequest): void {
    if (this.#generations.size >= mostDenials) {
      this.#generations.clear()
      this.#denials.clear()
      this.#byKey.clear()
      this.#cleared = ++this.#changes
    }
    this.#generations.set(limiter, ++this.#changes)
  }

  #generationOf({ policies: [{ limiter }] }: StoreRequest): number {
    return this.#generations.get(limiter) ?? this.#cleared
  }

  #remember(request: ConsumeRequest, { states }: StoreResult, generation: number): void {
    const identity = identityOf(request)
    const deniedAt = processTime.monotonic()
    this.#forget(this.#denials.get(identity))
    for (const oldest of this.#denials.values()) {
      const isRecent = deniedAt - oldest.deniedAt < rememberedForMs
      if (this.#denials.size < mostDenials && isRecent) break
      this.#forget(oldest)
    }
    const denied = request.policies.map((policy, i) =>
      isDenying(policy, states[i], costAt(request.cost, i)),
    )
    const denial: RememberedDenial = { identity, request, states, deniedAt, generation, denied }
    this.#denials.set(identity, denial)
    for (const key of denyingKeys(denial)) {
      const known = this.#byKey.get(key)
      if (known === undefined) this.#byKey.set(key, new Set([denial]))
      else known.add(denial)
    }
  }

  #forget(denial: RememberedDenial | undefined): void {
    if (denial === undefined) return
    this.#denials.delete(denial.identity)
    for (const key of denyingKeys(denial)) {
      const known = this.#byKey.get(key)
      known?.delete(denial)
      if (known?.size === 0) this.#byKey.delete(key)
    }
  }

  #forgetDeniedBy(request: ConsumeRequest): void {
    for (let i = 0; i < request.keys.length; i++) {
      for (const denial of this.#byKey.get(keyOf(request, i)) ?? []) this.#forget(denial)
    }
  }
}

/** A lease may be released at any moment, and a `fresh` request requires the store itself, so neither is cached. */
function isCached(request: StoreRequest): request is ConsumeRequest {
  return (
    request.verb === 'consume' &&
    request.fresh !== true &&
    request.now === undefined &&
    !request.policies.some(hasLeases)
  )
}

/** Evaluates the same rules on the same state at a later time. Returns undefined if the store has to decide. */
function stillDenied(
  { request: { cost }, states, deniedAt, denied }: RememberedDenial,
  request: ConsumeRequest,
  now: number,
): StoreResult | undefined {
  const elapsed = now - deniedAt
  if (elapsed >= rememberedForMs) return undefined
  let isDenied = false
  const later: State[] = []
  for (const [i, policy] of request.policies.entries()) {
    const { steps, params, block } = policy
    const { blockedUntil } = states[i]
    const [own, remembered] = [costAt(request.cost, i), costAt(cost, i)]
    if (own < remembered) return undefined
    const state = { row: [...states[i].row], blockedUntil, now: states[i].now + elapsed }
    // The row of a log contains the moments at which the requested cost fits and more units remain, but only for this cost and until more remain.
    if (!(steps.hasRecords === true)) steps.look(state.row, params, state.now, own)
    else if (own !== remembered || hasMore(policy, state)) return undefined
    const isBlocked = blockedUntil > state.now
    // The exemption has ended since.
    if (isExempt(state) && -blockedUntil <= state.now) return undefined
    if (isDenying(policy, state, own)) {
      // The store has to start the block.
      if (block?.on === 'exceeded' && !isBlocked) return undefined
      // Only policies that denied count: the state of the others may have changed since.
      if (denied[i]) isDenied = true
    }
    later.push(state)
  }
  return isDenied ? { allowed: false, states: later, source: 'local' } : undefined
}

function isDenying({ steps, params }: BoundPolicy, state: State, cost: number): boolean {
  const { row, blockedUntil, now } = state
  if (isExempt(state)) return false
  return blockedUntil > now || steps.wait(row, params, now, cost) > 0
}

/** Returns whether more units remain now than the row says. */
function hasMore({ steps, params }: BoundPolicy, { row, now }: State): boolean {
  const quota = steps.quota(params)
  const free = Math.max(0, quota - steps.used(row, params, now))
  return free < quota && steps.next(row, params, now, free + 1) <= 0
}

function denyingKeys({ request, denied }: RememberedDenial): readonly string[] {
  return request.keys.map((_, i) => keyOf(request, i)).filter((_, i) => denied[i])
}

function keyOf({ policies: [{ limiter }], keys }: StoreRequest, index: number): string {
  return JSON.stringify([limiter, keys[index]])
}

const identities = new WeakMap<readonly BoundPolicy[], string>()

/** Identifies policies with their numbers: a denial under other numbers does not apply. */
function identityOfPolicies(policies: readonly BoundPolicy[]): string {
  let known = identities.get(policies)
  if (known === undefined) {
    known = JSON.stringify(policies.map(({ limiter, name, policy }) => [limiter, name, policy]))
    identities.set(policies, known)
  }
  return known
}

function identityOf({ policies, keys }: StoreRequest): string {
  return identityOfPolicies(policies) + JSON.stringify(keys)
}
