import type { Lease } from './algorithms/algorithm.js'
import type { Clock } from './clock.js'
import { hasLeases, type ChangeLease, type Receipt } from './decision.js'
import { addressed, entriesOf, type Keys, type Policies } from './entries.js'
import { sluiceError, SluiceError } from './errors.js'
import { isCount } from './option-readers.js'
import type {
  Answer,
  AsyncStore,
  Entry,
  Outcome,
  Reply,
  Store,
  StoreRequest,
  SyncStore,
  Verb,
} from './stores/store.js'

/** A call of one of the limiter's methods, as its caller put it. */
export interface Question {
  readonly verb: Verb
  readonly key: Keys
  readonly cost?: number | undefined
  readonly policies?: Policies | undefined
  /** Whose lease is asked for. */
  readonly owner?: string | undefined
  /** The id of the lease that is meant. */
  readonly lease?: string | undefined
}

type Read<T> = (outcome: Outcome, request: StoreRequest) => T

/**
 * Asks a store in the store's own manner: over a synchronous one a call answers or throws at once, over the others all of it happens in
 * a promise, a mistake in the question included.
 */
export interface Asking<S extends Store> {
  ask<T>(question: () => Question, read: Read<T>): Reply<S, T>
  askMany<T>(questions: () => readonly Question[], read: Read<T>): Reply<S, readonly T[]>
  give(receipt: Receipt): Reply<S, boolean>
  readonly changeLease: ChangeLease<S>
  ping(): Reply<S, boolean>
  close(owned: boolean): Reply<S, void>
}

export function createAsking<S extends Store>(
  store: Store,
  limiter: string,
  policies: Policies,
  clock: Clock | undefined,
  fresh: boolean,
): Asking<S> {
  const ownEntries = entriesOf(limiter, policies)
  /** What was given back already: a second time gives nothing. */
  const given = new WeakSet<Receipt>()
  const chosenEntries = new WeakMap<Policies, readonly Entry[]>()

  function entriesFor(chosen: Policies | undefined): readonly Entry[] {
    if (chosen === undefined) return ownEntries
    let entries = chosenEntries.get(chosen)
    if (entries === undefined) {
      entries = entriesOf(limiter, chosen)
      chosenEntries.set(chosen, entries)
    }
    return entries
  }

  function requestOf({ verb, key, cost = 1, policies, owner, lease }: Question): StoreRequest {
    if (!isCount(cost)) throw sluiceError('SLUICE_COST_INVALID', limiter, cost)
    const { entries, keys } = addressed(limiter, entriesFor(policies), key)
    if (verb === 'penalize') assertPenalty(entries, cost)
    const request = {
      verb,
      entries,
      keys,
      cost,
      fresh,
      now: now(),
      lease: leaseFor(entries, owner, lease),
    }
    return lease === undefined ? request : ofLeases(request)
  }

  /** The request without those policies that know no leases. */
  function ofLeases(request: StoreRequest): StoreRequest {
    const { entries, keys } = request
    const leased = entries.filter(hasLeases)
    if (leased.length > 0) {
      return { ...request, entries: leased, keys: keys.filter((_, i) => hasLeases(entries[i])) }
    }
    const expected = 'a concurrency policy among them, or a key for it: nothing else has leases'
    throw sluiceError(
      'SLUICE_OPTION_INVALID',
      `limiter "${limiter}"`,
      'policies',
      policies,
      expected,
    )
  }

  function assertPenalty(entries: readonly Entry[], units: number): void {
    const most = Math.min(...entries.map(({ steps, params }) => steps.most?.(params) ?? Infinity))
    if (units <= most) return
    const expected = `at most ${most}: more cannot be counted exactly`
    throw sluiceError('SLUICE_OPTION_INVALID', `limiter "${limiter}"`, 'n', units, expected)
  }

  function now(): number | undefined {
    if (clock === undefined) return undefined
    const moment = Math.floor(clock())
    if (!isCount(moment)) throw sluiceError('SLUICE_CLOCK_INVALID', moment)
    return moment
  }

  /** Makes the requests, runs them and reads the answers, at once or in a promise. */
  function reply<T>(
    requests: () => readonly StoreRequest[],
    read: (answers: readonly Answer[], requests: readonly StoreRequest[]) => T,
  ): Reply<S, T> {
    async function later(store: AsyncStore): Promise<T> {
      const made = requests()
      const asked = made.filter(asksAnything)
      return read(inOrder(made, asked.length > 0 ? await store.run(asked) : []), made)
    }
    function atOnce(store: SyncStore): T {
      const made = requests()
      return read(inOrder(made, store.run(made.filter(asksAnything))), made)
    }
    // These are the two cases of Reply; that S is the type of this very store is beyond the compiler.
    return (store.async ? later(store) : atOnce(store)) as Reply<S, T>
  }

  return {
    ask: (question, read) =>
      reply(
        () => [requestOf(question())],
        ([answer], [request]) => read(settled(answer), request),
      ),

    askMany: (questions, read) =>
      reply(
        () => questions().map(requestOf),
        (answers, requests) => answers.map((answer, i) => read(settled(answer), requests[i])),
      ),

    give: (receipt) =>
      reply(
        () => {
          const { request, outcome } = receipt
          if (request.entries.some((entry) => entry.limiter !== limiter)) {
            throw sluiceError('SLUICE_DECISION_FOREIGN', limiter, request.entries[0].limiter)
          }
          if (request.verb !== 'consume' || !outcome.allowed || given.has(receipt)) return []
          given.add(receipt)
          const { states: receipts, source = 'store' } = outcome
          return [{ ...request, verb: 'give', receipts, source, now: now() }]
        },
        (answers) => answers.length > 0 && settled(answers[0]).allowed,
      ),

    changeLease: (request, verb, source) =>
      reply(
        () => [ofLeases({ ...request, verb, source, now: now() })],
        ([answer]) => settled(answer).allowed,
      ),

    ping: () => store.ping() as Reply<S, boolean>,
    close: (owned) =>
      (owned ? store.close() : store.async ? Promise.resolve() : undefined) as Reply<S, void>,
  }
}

/** A request that every policy was left out of needs no store: nobody objects. */
function asksAnything({ entries }: StoreRequest): boolean {
  return entries.length > 0
}

const nothingAsked: Outcome = { allowed: true, states: [] }

/** The answers of the requests that were asked, among those that were not. */
function inOrder(made: readonly StoreRequest[], answers: readonly Answer[]): readonly Answer[] {
  if (answers.length === made.length) return answers
  let next = 0
  return made.map((request) => (asksAnything(request) ? answers[next++] : nothingAsked))
}

function settled(answer: Answer): Outcome {
  if (answer instanceof SluiceError) throw answer
  return answer
}

const noLease: Lease = { id: '', owner: '' }

/** Lease ids are made here, by the caller, so that a call which the client sends twice takes one lease. */
function leaseFor(
  entries: readonly Entry[],
  owner: string | undefined,
  id: string | undefined,
): Lease {
  if (id === undefined && !entries.some(hasLeases)) return noLease
  const given = id ?? crypto.randomUUID()
  return { id: given, owner: owner ?? given }
}
