import { SluiceError, sluiceErrorFrom } from '../../errors.js'
import type { Answer, AsyncStore, StoreRequest } from '../store.js'

/** A request on its way through a store that answers later. */
// Its fields are declared only, because V8 runs their definitions as a function of their own.
export class PendingRequest {
  declare readonly request: StoreRequest
  /** Receives the answer, once. */
  declare readonly done: (answer: Answer) => void
  /** The number of the last change of its limiter's counts before the request. */
  declare generation: number
  /** The keys of the request, as its store names them. */
  declare keys: readonly string[]
  /** The monotonic time until which its caller waits. */
  declare dueAt: number
  /** The call with which it was sent, if the events of calls have a subscriber. */
  declare batch: Batch | undefined
  /** Whether another process has changed one of its rows while it was decided. */
  declare hasConflicted: boolean
  /** Whether it undoes what a late answer has taken: no caller waits for it. */
  declare readonly isUndo: boolean
  /** Whether what a late answer has taken is not given back. */
  declare isKept: boolean
  /** Whether it was answered, with an answer of the store or with the error of its deadline. */
  declare isAnswered: boolean

  constructor(request: StoreRequest, done: (answer: Answer) => void, isUndo = false) {
    this.request = request
    this.done = done
    this.isUndo = isUndo
    this.isKept = false
    this.generation = 0
    this.keys = []
    this.dueAt = 0
    this.batch = undefined
    this.hasConflicted = false
    this.isAnswered = false
  }
}

/** Requests that are sent together, in the order in which they were made. */
export interface Batch<T = unknown> {
  readonly target: T
  readonly pending: PendingRequest[]
  /** The sum of what its requests weigh for the store. */
  weight: number
  /** The time, of `performance.now`, at which they were sent. */
  sentAt: number
  /** The number of them that have not been answered, if the events of calls have a subscriber. */
  open: number
  /** The first error of one of them. */
  error: SluiceError | undefined
}

/**
 * Passes requests to a store. Each of them receives its own answer. A promise in each part of a store would cost several for each decision; this way a
 * decision costs one promise.
 */
export type Submit = (pending: readonly PendingRequest[]) => void

/** Keyed by the `run` method and not by the store: an object that is spread from a store may have a `run` of its own, which must be called. */
const known = new WeakMap<AsyncStore['run'], Submit>()

/** Creates a store whose requests receive their answers by callback. */
export function storeOf(
  submit: Submit,
  { ping, close }: Pick<AsyncStore, 'ping' | 'close'>,
): AsyncStore {
  const store: AsyncStore = {
    async: true,
    run: (requests) =>
      new Promise((resolve) => {
        const answers: Answer[] = []
        let left = requests.length
        const pending = requests.map((request, i) => {
          return new PendingRequest(request, (answer) => {
            answers[i] = answer
            if (--left === 0) resolve(answers)
          })
        })
        if (left === 0) resolve(answers)
        else submit(pending)
      }),
    ping,
    close,
  }
  known.set(store.run, submit)
  return store
}

/** Returns the callback form of any store. A store that an application has written answers with a promise. */
export function submitOf(store: AsyncStore): Submit {
  return known.get(store.run) ?? promised(store)
}

function promised(store: AsyncStore): Submit {
  return function submitPromised(pending) {
    function answer(answers: readonly Answer[]): void {
      for (let i = 0; i < pending.length; i++) pending[i].done(answers[i])
    }

    store.run(pending.map(({ request }) => request)).then(answer, (reason: unknown) => {
      // The contract allows no rejection.
      const error = failureOf('given', reason)
      answer(pending.map(() => error))
    })
  }
}

/** Returns whether the store could not answer, as opposed to an invalid call or a store that was closed on purpose. */
export function hasFailed(answer: Answer): answer is SluiceError {
  return !('allowed' in answer) && failures.has(answer.code)
}

/**
 * Returns whether the store is unavailable, as opposed to a store that answered a single request with an error, such as a key of another type: an
 * error inside a successful reply has no `cause`, nor has that of a missing right. A store that other processes keep changing is available, and so is one with a damaged row.
 */
export function isUnavailable(answer: Answer): answer is SluiceError {
  if (!hasFailed(answer) || areOfRow.has(answer.code)) return false
  return !canBeOfCall.has(answer.code) || answer.cause !== undefined
}

/** The failures of a single row. */
const areOfRow: ReadonlySet<string> = new Set(['SLUICE_STORE_CONTENDED', 'SLUICE_STORE_DAMAGED'])

/** The failures of a store, or of single calls if they have no cause. */
const canBeOfCall: ReadonlySet<string> = new Set(['SLUICE_STORE_FAILED', 'SLUICE_STORE_REFUSED'])

const failures: ReadonlySet<string> = new Set([
  ...canBeOfCall,
  'SLUICE_STORE_TIMEOUT',
  'SLUICE_STORE_UNAVAILABLE',
  ...areOfRow,
])

/** Converts a value that a store threw to the error with which it answers its requests. */
export function failureOf(store: string, cause: unknown): SluiceError {
  if (cause instanceof SluiceError) return cause
  const reason = cause instanceof Error ? cause.message : String(cause)
  return sluiceErrorFrom(cause, 'SLUICE_STORE_FAILED', store, reason)
}
