import type { Clock } from './clock.js'
import { summarize, verdictOf, type Decision, type Verdict } from './decision.js'
import { sluiceError, SluiceError } from './errors.js'
import { addressed, entriesOf, type Keys, type Policies } from './entries.js'
import { isCount, optionsObject, rejectUnknown } from './policy.js'
import { memoryStore, type MemoryStore } from './stores/memory/index.js'
import type {
  Answer,
  AsyncStore,
  Entry,
  Outcome,
  Reply,
  Store,
  StoreRequest,
  SyncStore,
} from './stores/store.js'

export interface LimiterOptions<S extends Store> {
  /** The namespace of the counters in the store. */
  readonly name: string
  /** What is allowed. A request is admitted if all policies admit it, and is then counted in all of them, else in none. */
  readonly policies: Policies
  /**
   * Where the counts live. The same store can serve many limiters.
   *
   * @default memoryStore()
   */
  readonly store?: S
  /**
   * Milliseconds since the epoch. Where it is given it rules everywhere, in Redis too: for tests and replays.
   *
   * @default the store's own time
   */
  readonly clock?: Clock
}

export interface ConsumeOptions {
  /**
   * How many units the request takes: a whole number. 0 asks whether the key is let in at all.
   *
   * @default 1
   */
  readonly cost?: number
  /**
   * The policies of this call, in the place of the limiter's: a plan, a tenant's own, day and night. Counts are found by the
   * policy's name, so a changed limit applies at once to what is there.
   */
  readonly policies?: Policies
}

export type PeekOptions = Pick<ConsumeOptions, 'cost'>

/**
 * Decides for keys. Over a memory store every method answers at once, over Redis with a promise; `await` works on both. A call
 * that can never be right throws (or rejects with) a SluiceError.
 */
export interface Limiter<S extends Store = Store> {
  readonly name: string
  /** Decides and counts: all policies, or none. */
  consume(key: Keys, options?: ConsumeOptions): Reply<S, Decision>
  /** Whether `consume` would be allowed now; `remaining` and `resetMs` as they stand. Changes nothing. */
  peek(key: Keys, options?: PeekOptions): Reply<S, Decision>
  /** Forgets what the key has used. */
  reset(key: Keys): Reply<S, boolean>
  /** Closes the store, if the limiter made it. */
  close(): Reply<S, void>
}

/**
 * Puts policies and a store together.
 *
 * @example
 * const limiter = createLimiter({ name: 'api', policies: slidingWindow({ limit: 100, window: '1m' }) })
 * const { allowed, retryAfterMs } = await limiter.consume('user:42')
 * @throws SluiceError where an option is missing, unknown or wrong
 */
export function createLimiter<S extends Store = MemoryStore>(
  options: LimiterOptions<S>,
): Limiter<S> {
  const { name, policies, clock } = checkedOptions(options)
  const store: Store = options.store ?? memoryStore()
  const ownEntries = entriesOf(name, policies)
  const chosenEntries = new WeakMap<Policies, readonly Entry[]>()

  function entriesFor(chosen: Policies | undefined): readonly Entry[] {
    if (chosen === undefined) return ownEntries
    let entries = chosenEntries.get(chosen)
    if (entries === undefined) {
      entries = entriesOf(name, chosen)
      chosenEntries.set(chosen, entries)
    }
    return entries
  }

  function requestOf(question: Question): StoreRequest {
    const { verb, key, options = {}, known } = question
    if (question.options !== undefined) checkCallOptions(name, options, known)
    const { cost = 1 } = options
    if (!isCount(cost)) throw sluiceError('SLUICE_COST_INVALID', name, cost)
    const { entries, keys } = addressed(name, entriesFor(options.policies), key)
    return { verb, entries, keys, cost, now: clock === undefined ? undefined : timeOf(clock) }
  }

  function askNow<T>(store: SyncStore, question: Question, read: Read<T>): T {
    const request = requestOf(question)
    const answer = request.entries.length === 0 ? nothingAsked : store.run([request])[0]
    return read(settled(answer), request)
  }

  async function askLater<T>(store: AsyncStore, question: Question, read: Read<T>): Promise<T> {
    const request = requestOf(question)
    const answer = request.entries.length === 0 ? nothingAsked : (await store.run([request]))[0]
    return read(settled(answer), request)
  }

  function ask<T>(question: Question, read: Read<T>): Reply<S, T> {
    const reply = store.async ? askLater(store, question, read) : askNow(store, question, read)
    // These are the two cases of Reply; that S is the type of this very store is beyond the compiler.
    return reply as Reply<S, T>
  }

  return {
    name,
    consume: (key, options) =>
      ask({ verb: 'consume', key, options, known: ['cost', 'policies'] }, decisionOf),
    peek: (key, options) => ask({ verb: 'peek', key, options, known: ['cost'] }, decisionOf),
    reset: (key) => ask({ verb: 'reset', key, options: undefined, known: [] }, () => true),
    close() {
      if (options.store === undefined) return store.close() as Reply<S, void>
      return (store.async ? Promise.resolve() : undefined) as Reply<S, void>
    },
  }
}

/** A call of one of the methods, before it is checked. */
interface Question {
  readonly verb: StoreRequest['verb']
  readonly key: Keys
  readonly options: ConsumeOptions | undefined
  readonly known: readonly string[]
}

type Read<T> = (outcome: Outcome, request: StoreRequest) => T

/** The answer to a request that every policy was left out of: nobody objects. */
const nothingAsked: Outcome = { allowed: true, rows: [], now: 0, wall: 0 }

function decisionOf(outcome: Outcome, request: StoreRequest): Decision {
  const { verb, entries, cost } = request
  const verdicts: Record<string, Verdict> = {}
  entries.forEach(({ name, steps, params }, i) => {
    const now = steps.followsWall(params) ? outcome.wall : outcome.now
    const taken = outcome.allowed && verb === 'consume'
    verdicts[name] = verdictOf(steps, params, outcome.rows[i], now, cost, taken)
  })
  return summarize(verdicts, outcome.allowed, 'store')
}

function checkedOptions<S extends Store>(options: LimiterOptions<S>): LimiterOptions<S> {
  const known = ['name', 'policies', 'store', 'clock']
  rejectUnknown('createLimiter', optionsObject('createLimiter', options, known), known)
  const { name, store, clock } = options
  if (typeof name !== 'string' || name === '') {
    const expected = 'a non-empty string: the namespace of the counters'
    throw sluiceError('SLUICE_OPTION_INVALID', 'createLimiter', 'name', name, expected)
  }
  if (store !== undefined && typeof store.run !== 'function') {
    const expected = 'memoryStore() or redisStore(client)'
    throw sluiceError('SLUICE_OPTION_INVALID', 'createLimiter', 'store', store, expected)
  }
  if (clock !== undefined && typeof clock !== 'function') {
    const expected = 'a function that returns milliseconds since the epoch'
    throw sluiceError('SLUICE_OPTION_INVALID', 'createLimiter', 'clock', clock, expected)
  }
  return options
}

function checkCallOptions(limiter: string, options: object, known: readonly string[]): void {
  const where = `limiter "${limiter}"`
  rejectUnknown(where, optionsObject(where, options, known), known)
}

function timeOf(clock: Clock): number {
  const now = Math.floor(clock())
  if (!isCount(now)) throw sluiceError('SLUICE_CLOCK_INVALID', now)
  return now
}

function settled(answer: Answer): Outcome {
  if (answer instanceof SluiceError) throw answer
  return answer
}
