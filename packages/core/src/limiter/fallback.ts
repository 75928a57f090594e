import { processTime } from '../clock.js'
import type { SluiceError } from '../errors.js'
import { storeEvents } from '../stores/events.js'
import { blockUntil } from '../stores/override.js'
import { hasFailed } from '../stores/queue/pending.js'
import { memoryStore } from '../stores/memory/index.js'
import {
  contractVersion,
  peekOf,
  storeContract,
  type Answer,
  type AsyncStore,
  type LimiterPolicy,
  type DecisionRequest,
  type StoreResult,
  type StoreContract,
  type StoreRequest,
  type SyncStore,
} from '../stores/store.js'
import { shareOf } from './limiter-policies.js'

/** While the store is unavailable, a memory store decides (`local`), or every request is allowed or denied. */
export type OnStoreError = 'local' | 'allow' | 'deny'

/** A store has recovered after this time without a failure. So a store that fails for some requests only leads to one event. */
const recoveredAfterMs = 1000

/** Answers the requests of a limiter for which its store failed. */
export interface Fallback {
  /** The answer that the caller receives: that of the store, or its replacement if the store failed. */
  finalAnswer(request: StoreRequest, answer: Answer): Answer
  /** Answers a request about a decision that the store did not make. */
  answerOf(request: StoreRequest): Answer
  /** The request as it was decided: the memory store decides by the shares of the policies. */
  asDecided<Q extends StoreRequest>(request: Q, result: StoreResult): Q
}

/**
 * For `local`, a memory store decides by policies with a share of each limit: all processes together allow at most limit × share × number of processes. All
 * limiters of a store use one memory store, so limiters of one name still count together.
 */
export function createFallback(
  store: AsyncStore,
  limiter: string,
  onStoreError: OnStoreError,
  share: number,
): Fallback {
  let isReplacing = false
  let failedAt = -Infinity
  const shares = new WeakMap<readonly LimiterPolicy[], readonly LimiterPolicy[]>()

  /** The same list each time, by which stores cache what they have made of it. */
  function sharesOf(policies: readonly LimiterPolicy[]): readonly LimiterPolicy[] {
    if (share === 1) return policies
    const known = shares.get(policies) ?? policies.map((policy) => shareOf(policy, share))
    shares.set(policies, known)
    return known
  }

  function locally(request: StoreRequest, policies: readonly LimiterPolicy[]): Answer {
    const answer = memoryFor(store).run({ ...request, policies })
    return 'allowed' in answer ? { ...answer, source: 'fallback' } : answer
  }

  function replacementOf(request: StoreRequest, error: SluiceError): Answer {
    const { verb } = request
    // Only the store can refund what it took. The units stay taken until they expire.
    if (verb === 'refundReceipt') return notDone
    if (onStoreError === 'local') return locally(request, sharesOf(request.policies))
    if (verb === 'release' || verb === 'renew') return notDone
    if ((verb !== 'consume' && verb !== 'peek') || request.requireStore === true) return error
    return withoutCounts(request, onStoreError === 'allow')
  }

  /** Publishes one event for each change, not for each request. */
  function publishChange(error: SluiceError | undefined): void {
    const now = processTime.monotonic()
    const wasReplacing = isReplacing
    if (error !== undefined) failedAt = now
    isReplacing = now - failedAt < recoveredAfterMs
    if (isReplacing === wasReplacing) return
    const state = isReplacing ? 'begun' : 'ended'
    storeEvents.fallback.publish({ limiter, state, onStoreError, error })
  }

  return {
    finalAnswer(request, answer) {
      if (hasFailed(answer)) {
        publishChange(answer)
        return replacementOf(request, answer)
      }
      if (isReplacing) publishChange(undefined)
      return answer
    },
    // The memory store made the decision by the shares, so it has their state.
    answerOf: (request) =>
      request.source === 'fallback' ? locally(request, request.policies) : notDone,
    asDecided: (request, { source }) =>
      source === 'fallback' && request.source === undefined
        ? { ...request, policies: sharesOf(request.policies) }
        : request,
  }
}

/** For stores without a contract. */
const contracts = new WeakMap<AsyncStore, StoreContract>()

/** The memory store that replaces this one. It is created on first use, because most processes never need it. */
function memoryFor(store: AsyncStore): SyncStore {
  const contract = store[storeContract] ?? contracts.get(store) ?? { version: contractVersion }
  contracts.set(store, contract)
  return (contract.fallback ??= memoryStore())
}

const notDone: StoreResult = { allowed: false, states: [] }

/** The wait that a limiter reports when it fails closed. It is a guess: the time of the store's recovery is unknown. */
const closedForMs = 1000

/** Decides as for a key without any counts. To fail closed, the key is blocked for a moment. */
function withoutCounts(request: DecisionRequest, allowed: boolean): Answer {
  const answer = memoryStore({ maxKeys: 1 }).run(peekOf(request, request.cost))
  if (!('allowed' in answer)) return answer
  const { states } = answer
  if (allowed) return { allowed, states, source: 'open' }
  const blocked = states.map(({ row, now }) => {
    return { row, now, override: blockUntil(undefined, now + closedForMs, 0) }
  })
  return { allowed, states: blocked, source: 'closed' }
}
