import { hasLeases } from '../../algorithms/kind.js'
import { processTime } from '../../clock.js'
import { blockedMs, exemptMs, isExempt, overrideAllows } from '../override.js'
import type { PendingRequest } from '../queue/pending.js'
import {
  costAt,
  isDecision,
  textOf,
  type Answer,
  type DecisionRequest,
  type StoreResult,
  type State,
  type StoreRequest,
} from '../store.js'

/** The maximum time for which a denial is remembered, because a refund in another process may have ended it. */
const rememberedForMs = 1000

/** The maximum number of remembered denials, and of limiters whose last change is remembered. */
const mostDenials = 10_000

interface Denial {
  readonly identity: string
  readonly request: DecisionRequest
  readonly states: readonly State[]
  readonly at: number
  readonly until: number
  /** The generation of its limiter when it was asked. */
  readonly generation: number
  /** The keys of the policies that denied. */
  readonly keys: readonly string[]
}

/**
 * Denies a key that was denied less than a second ago without a call to the store. So under attack, a key costs the store one request per second
 * and process. The only error is that a refund in another process takes effect up to a second late. The cache never allows a request.
 */
export class DenyCache {
  /** In the order of their denial. */
  readonly #denials = new Map<string, Denial>()
  readonly #byKey = new Map<string, Set<Denial>>()
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
    const now = processTime.monotonic()
    if (denial === undefined || denial.generation !== pending.generation || now >= denial.until) {
      return undefined
    }
    return denialAt(denial, request, now)
  }

  /**
   * Notes the answer of the store. A refund, release, reset, block, exemption or penalty changes the counts when it is sent, and again when it is answered: a denial that
   * the store made in between may be older. An allowed request, with a smaller cost or another plan, or a peek, voids the denials by its keys. It does not void
   * those by other keys: otherwise each allowed request of a tenant would lead to a call for each of the tenant's denied clients.
   */
  complete({ request, generation }: PendingRequest, answer: Answer): void {
    if (!isDecision(request)) this.#change(request)
    else if (!('allowed' in answer)) return
    else if (!answer.allowed) {
      if (isCached(request)) this.#remember(request, answer.states, generation)
    } else if (this.#denials.size > 0) {
      for (const key of keysOf(request)) this.#byKey.get(key)?.forEach(this.#forget)
    }
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

  #remember(request: DecisionRequest, states: readonly State[], generation: number): void {
    const identity = identityOf(request)
    const at = processTime.monotonic()
    const known = this.#denials.get(identity)
    if (known !== undefined) this.#forget(known)
    for (const oldest of this.#denials.values()) {
      if (this.#denials.size < mostDenials && at - oldest.at < rememberedForMs) break
      this.#forget(oldest)
    }
    const waits = states.map((state, i) => waitOf(request, i, state))
    const until = at + timeLeft(request, states, waits)
    const keys = keysOf(request).filter((_, i) => waits[i] > 0)
    const denial = { identity, request, states, at, until, generation, keys }
    this.#denials.set(identity, denial)
    for (const key of keys) {
      const all = this.#byKey.get(key) ?? new Set()
      this.#byKey.set(key, all.add(denial))
    }
  }

  readonly #forget = (denial: Denial): void => {
    this.#denials.delete(denial.identity)
    for (const key of denial.keys) {
      const all = this.#byKey.get(key)
      if (all?.delete(denial) === true && all.size === 0) this.#byKey.delete(key)
    }
  }
}

/** A lease may be released at any moment, and a `skipDenyCache` request requires the store itself, so neither is cached. */
function isCached(request: DecisionRequest): boolean {
  const { verb, skipDenyCache, now, policies } = request
  return (
    verb === 'consume' && skipDenyCache !== true && now === undefined && !policies.some(hasLeases)
  )
}

/** How long a policy denies the request from now on: by its count, or by a block. */
function waitOf({ policies, cost }: DecisionRequest, i: number, state: State): number {
  const own = costAt(cost, i)
  if (overrideAllows(state, own)) return 0
  const { row, now } = state
  const { steps, params } = policies[i]
  const { wait } = steps.read(row, params, now, own, false)
  return Math.max(wait, blockedMs(state))
}

/** How long the store would give the same answer: until no policy denies, an exemption ends, or a policy has to start a block. */
function timeLeft(
  { policies }: DecisionRequest,
  states: readonly State[],
  waits: readonly number[],
): number {
  let most = Math.min(rememberedForMs, Math.max(...waits))
  policies.forEach(({ steps, params, block }, i) => {
    const { row, now } = states[i]
    if (isExempt(states[i])) most = Math.min(most, exemptMs(states[i]))
    else if (block?.on === 'exceeded' && waits[i] > 0) most = Math.min(most, blockedMs(states[i]))
    // The row of a log tells only when the next unit remains.
    if (steps.records === undefined) return
    const { used, next } = steps.read(row, params, now, 0, true)
    if (used > 0) most = Math.min(most, next)
  })
  return most
}

/** The states of a denial at a later time. Undefined if its cost was another one, about which they say too little. */
function denialAt(denial: Denial, request: DecisionRequest, now: number): StoreResult | undefined {
  const states: State[] = []
  for (const [i, { steps, params, block }] of request.policies.entries()) {
    const [own, remembered] = [costAt(request.cost, i), costAt(denial.request.cost, i)]
    const { row, override, now: then } = denial.states[i]
    const later = { row: [...row], override, now: then + now - denial.at }
    const mayStart = block?.on === 'exceeded' && blockedMs(later) === 0
    if (steps.records !== undefined || mayStart ? own !== remembered : own < remembered)
      return undefined
    if (steps.records === undefined) steps.look(later.row, params, later.now, own)
    states.push(later)
  }
  return { allowed: false, states, source: 'local' }
}

function keysOf({ policies: [{ limiter }], keys }: StoreRequest): readonly string[] {
  return keys.map((key) => JSON.stringify([limiter, key]))
}

/** Identifies a request's policies with their numbers, and its keys: a denial under other numbers does not apply. */
function identityOf({ policies, keys }: StoreRequest): string {
  return textOf(policies) + JSON.stringify(keys)
}
