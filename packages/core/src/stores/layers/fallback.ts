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

/** What decides while the store is away: a memory store, or nobody, and then everything is allowed or denied. */
export type OnStoreError = 'local' | 'allow' | 'deny'

/** A store is back once it has not failed for so long: one that fails for some requests only is told of once. */
const backAfterMs = 1000

/**
 * Answers where the store failed. `shareOf` gives the entry by which a memory store decides in its place: at a share of the limit, so that all
 * processes together admit at most as many times the limit as there are processes, times the share. Limiters of one store have one memory store
 * for this, so those of one name still count together.
 */
export function withFallback(
  store: AsyncStore,
  limiter: string,
  onStoreError: OnStoreError,
  shareOf: (entry: BoundPolicy) => BoundPolicy,
): AsyncStore {
  let isAway = false
  let failedAt = -Infinity

  function locally(request: StoreRequest): Answer {
    const entries = request.entries.map(shareOf)
    const answer = memoryFor(store).run({ ...request, entries })
    return 'allowed' in answer ? { ...answer, entries, source: 'fallback' } : answer
  }

  function instead(request: StoreRequest, error: SluiceError): Answer {
    const { verb } = request
    // What the store took can be given back by the store only. It stays taken, and ends by itself.
    if (verb === 'refundReceipt') return nothingDone
    if (onStoreError === 'local') return locally(request)
    if (verb === 'release' || verb === 'renew') return nothingDone
    if (verb !== 'consume' && (verb !== 'peek' || request.fromCounts === true)) return error
    return onStoreError === 'allow' ? allowed(request) : denied(request)
  }

  /** Once for each change, not for each request. */
  function tell(error: SluiceError | undefined): void {
    if (error === undefined && !isAway) return
    const now = processTime.monotonic()
    const wasAway = isAway
    if (error !== undefined) failedAt = now
    isAway = now - failedAt < backAfterMs
    if (isAway === wasAway) return
    storeEvents.fallback.publish({
      limiter,
      state: isAway ? 'begun' : 'ended',
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
      tell(error)
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
            // Who decided has the state of it.
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

/** The memory store that decides in the place of this one. It is made on first use, because most processes never need it. */
function memoryFor(store: AsyncStore): SyncStore {
  let contract = store[storeContract] ?? contracts.get(store)
  if (contract === undefined) {
    contract = { version: contractVersion }
    contracts.set(store, contract)
  }
  return (contract.fallback ??= memoryStore())
}

/** What nobody decided, or this process by its own memory, has no state in the store. */
function isForStore({ source = 'store' }: StoreRequest): boolean {
  return source === 'store'
}

const nothingDone: Outcome = { allowed: false, states: [] }

/** Fail open: the answer to somebody who was never seen. */
function allowed(request: DecisionRequest): Answer {
  return { ...unseen(request), allowed: true, source: 'open' }
}

/** So long is the wait that a client is told by a limiter that fails closed: nobody knows when the store will be back. */
const closedForMs = 1000

/** Fail closed: the answer to somebody who is shut out for a moment. */
function denied(request: DecisionRequest): Answer {
  const { states } = unseen(request)
  const shut = states.map(({ row, now }) => ({ row, now, blockedUntil: now + closedForMs }))
  return { allowed: false, states: shut, source: 'closed' }
}

function unseen(request: DecisionRequest): Outcome {
  const answer = memoryStore({ maxKeys: 1 }).run(peekOf(request, request.cost))
  return 'allowed' in answer ? answer : nothingDone
}
