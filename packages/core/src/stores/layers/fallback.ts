import { processTime } from '../../clock.js'
import type { SluiceError } from '../../errors.js'
import { storeEvents } from './events.js'
import { memoryStore } from '../memory/index.js'
import {
  contractVersion,
  peekOf,
  storeContract,
  type Answer,
  type AsyncStore,
  type BoundPolicy,
  type DecisionRequest,
  type Outcome,
  type StoreContract,
  type StoreRequest,
  type SyncStore,
} from '../store.js'
import { hasFailed } from './failure.js'
import { runOf, storeOf } from './run.js'

/** While the store is unavailable, a memory store decides (`local`), or every request is allowed or denied. */
export type OnStoreError = 'local' | 'allow' | 'deny'

/** A store has recovered after this time without a failure. So a store that fails for some requests only leads to one event. */
const recoveredAfterMs = 1000

/**
 * Answers requests for which the store failed. For `local`, a memory store decides by the entries that `shareOf` returns, each with a share of the
 * limit: all processes together allow at most limit × share × number of processes. All limiters of a store use one memory store, so limiters
 * of one name still count together.
 */
export function withFallback(
  store: AsyncStore,
  limiter: string,
  onStoreError: OnStoreError,
  shareOf: (entry: BoundPolicy) => BoundPolicy,
): AsyncStore {
  let isReplacing = false
  let failedAt = -Infinity

  // The same list each time, because the memory store compiles each list once.
  const shares = new WeakMap<readonly BoundPolicy[], readonly BoundPolicy[]>()

  function locally(request: StoreRequest): Answer {
    const entries = shares.get(request.entries) ?? request.entries.map(shareOf)
    shares.set(request.entries, entries)
    const answer = memoryFor(store).run({ ...request, entries })
    return 'allowed' in answer ? { ...answer, entries, source: 'fallback' } : answer
  }

  function instead(request: StoreRequest, error: SluiceError): Answer {
    const { verb } = request
    // Only the store can refund what it took. The units stay taken until they expire.
    if (verb === 'refundReceipt') return nothingDone
    if (onStoreError === 'local') return locally(request)
    if (verb === 'release' || verb === 'renew') return nothingDone
    if (verb !== 'consume' && (verb !== 'peek' || request.fromCounts === true)) return error
    return onStoreError === 'allow' ? allowed(request) : denied(request)
  }

  /** Publishes one event for each change, not for each request. */
  function publishChange(error: SluiceError | undefined): void {
    if (error === undefined && !isReplacing) return
    const now = processTime.monotonic()
    const wasReplacing = isReplacing
    if (error !== undefined) failedAt = now
    isReplacing = now - failedAt < recoveredAfterMs
    if (isReplacing === wasReplacing) return
    storeEvents.fallback.publish({
      limiter,
      state: isReplacing ? 'begun' : 'ended',
      onStoreError,
      error,
    })
  }

  const run = runOf(store)

  function runForStore(
    requests: readonly StoreRequest[],
    done: (answers: readonly Answer[]) => void,
  ): void {
    run(requests, (answers) => {
      const error = answers.find(hasFailed)
      publishChange(error)
      if (error === undefined) done(answers)
      else {
        done(
          answers.map((answer, i) => (hasFailed(answer) ? instead(requests[i], answer) : answer)),
        )
      }
    })
  }

  return storeOf(
    function runOrReplace(requests, done) {
      if (requests.every(isForStore)) {
        runForStore(requests, done)
        return
      }
      let next = 0
      const join = (answers: readonly Answer[]): void =>
        done(
          requests.map((request) => {
            // The memory store made the decision, so it has the state.
            if (request.source === 'fallback') return locally(request)
            return isForStore(request) ? answers[next++] : nothingDone
          }),
        )
      const asked = requests.filter(isForStore)
      if (asked.length === 0) join([])
      else runForStore(asked, join)
    },
    {
      ping: () => store.ping(),
      close: () => store.close(),
    },
  )
}

/** For stores without a contract of their own. */
const contracts = new WeakMap<AsyncStore, StoreContract>()

/** The memory store that replaces this one. It is created on first use, because most processes never need it. */
function memoryFor(store: AsyncStore): SyncStore {
  let contract = store[storeContract] ?? contracts.get(store)
  if (contract === undefined) {
    contract = { version: contractVersion }
    contracts.set(store, contract)
  }
  return (contract.fallback ??= memoryStore())
}

/** A decision that was made without the store has no state in it. */
function isForStore({ source = 'store' }: StoreRequest): boolean {
  return source === 'store'
}

const nothingDone: Outcome = { allowed: false, states: [] }

/** Fails open: answers as for a key without any counts. */
function allowed(request: DecisionRequest): Answer {
  return { ...unseen(request), allowed: true, source: 'open' }
}

/** The wait that a limiter reports when it fails closed. It is a guess: the time of the store's recovery is unknown. */
const closedForMs = 1000

/** Fails closed: answers as for a key that is blocked for a moment. */
function denied(request: DecisionRequest): Answer {
  const { states } = unseen(request)
  const blocked = states.map(({ row, now }) => ({ row, now, blockedUntil: now + closedForMs }))
  return { allowed: false, states: blocked, source: 'closed' }
}

function unseen(request: DecisionRequest): Outcome {
  const answer = memoryStore({ maxKeys: 1 }).run(peekOf(request, request.cost))
  return 'allowed' in answer ? answer : nothingDone
}
