import { createAcquire, type AcquireOptions } from './acquire.js'
import { createAsking, type Question } from './asking.js'
import { decisionOf, receiptOf, type Decision } from './decision.js'
import { sharing, type Keys, type PolicyChoice } from './entries.js'
import { readLimiterOptions, type LimiterOptions } from './limiter-options.js'
import { sluiceError } from './errors.js'
import { events } from './events.js'
import { duration, isCount, optionsObject, rejectUnknown, type Duration } from './option-readers.js'
import { withFallback } from './resilience/fallback.js'
import { statusOf, type Status } from './status.js'
import { memoryStore, type MemoryStore } from './stores/memory/index.js'
import type { Outcome, Reply, Store, StoreRequest } from './stores/store.js'

export interface PeekOptions extends PolicyChoice {
  /**
   * How many units the request takes: a whole number. 0 asks whether the key is let in at all.
   *
   * @default 1
   */
  readonly cost?: number
}

export interface ConsumeOptions extends PeekOptions {
  /**
   * Who asks, for `concurrency` policies: an owner who holds units is admitted again without taking further ones.
   *
   * @default each request is its own
   */
  readonly owner?: string
}

/** One of many keys that are asked about at once. */
export interface KeyAndCost extends PeekOptions {
  /** Who asks. */
  readonly key: Keys
}

export interface ResetOptions extends PolicyChoice {
  /**
   * Whether a key that is blocked is let in again and forgotten too.
   *
   * @default false
   */
  readonly unblock?: boolean
}

/**
 * Decides for keys. Over a memory store every method answers at once, over Redis with a promise; `await` works on both. A call
 * that can never be right throws (or rejects with) a SluiceError.
 */
export interface Limiter<S extends Store = Store> {
  readonly name: string
  /** Decides and counts: all policies, or none. */
  consume(key: Keys, options?: ConsumeOptions): Reply<S, Decision<S>>
  /** Whether `consume` would be allowed now; `remaining` and `resetMs` as they stand. Changes nothing. */
  peek(key: Keys, options?: PeekOptions): Reply<S, Decision>
  /** `consume` for many keys in one round trip. Answers in order; each key is decided by itself. */
  consumeMany(requests: readonly KeyAndCost[]): Reply<S, readonly Decision<S>[]>
  /** `peek` for many keys in one round trip. */
  peekMany(requests: readonly KeyAndCost[]): Reply<S, readonly Decision[]>
  /**
   * Waits until the key is admitted. Resolves to a denial where `maxWait` is not enough; rejects when `signal` is aborted, and takes nothing
   * then. First come, first served among the waiters of this process.
   */
  acquire(key: Keys, options?: AcquireOptions): Promise<Decision<S>>
  /**
   * Gives back exactly what a decision took, where it took it, as far as that still counts, and releases its lease. True the first time,
   * false after that.
   */
  refund(decision: Decision): Reply<S, boolean>
  /** Gives the n newest units back, never above the full quota. Of leases, it ends the newest as long as n units are enough for the whole. */
  refund(key: Keys, n?: number): Reply<S, boolean>
  /**
   * Takes n units without asking: what remains may go below zero, and cost 0 is denied until that is made up for. Where there are leases, it
   * takes one that nobody knows and that ends by itself.
   */
  penalize(key: Keys, n: number): Reply<S, void>
  /** Shuts the key out for a while, in the place of any block that it is under. */
  block(key: Keys, length: Duration): Reply<S, void>
  /** Ends a block. What the key has used still counts. */
  unblock(key: Keys): Reply<S, void>
  /**
   * Ends a lease that is held elsewhere, by its id; what its request took of other policies stays taken. True if it was still held,
   * false if it had ended or was released before.
   */
  release(key: Keys, leaseId: string): Reply<S, boolean>
  /** Starts the time of a lease anew that is held elsewhere. True if it was still held; false if not, and then it stays ended. */
  renew(key: Keys, leaseId: string): Reply<S, boolean>
  /** Forgets what the key has used: true. False, and nothing changed, where it is blocked and `unblock` is not true. */
  reset(key: Keys, options?: ResetOptions): Reply<S, boolean>
  /** How things stand, policy by policy. Changes nothing. */
  status(key: Keys): Reply<S, Status>
  /** Whether the store is there. */
  ping(): Reply<S, boolean>
  /** Closes the store, if the limiter made it. */
  close(): Reply<S, void>
}

/** The most units that one `penalize` takes or one `refund` gives. */
const mostUnits = 2 ** 31

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
  const { onStoreError, localShare, denyCache } = readLimiterOptions(options)
  const { name, policies, clock } = options
  const given: Store = options.store ?? memoryStore()
  const store = given.async ? withFallback(given, name, onStoreError, sharing(localShare)) : given
  const asking = createAsking<S>(store, name, policies, clock, !denyCache)
  const where = `limiter "${name}"`

  function count(what: string, value: unknown, most: number): number {
    if (isCount(value) && value <= most) return value
    const expected = `a whole number from 0 to ${most}`
    throw sluiceError('SLUICE_OPTION_INVALID', where, what, value, expected)
  }

  function text(what: string, value: unknown): string {
    if (typeof value === 'string' && value !== '' && !/\p{Surrogate}/u.test(value)) return value
    const expected = 'a non-empty string of whole characters'
    throw sluiceError('SLUICE_OPTION_INVALID', where, what, value, expected)
  }

  function questionsOf(verb: 'consume' | 'peek', requests: readonly KeyAndCost[]): Question[] {
    return requests.map((request) => {
      checkCall(where, request, ['key', 'cost', 'policies'])
      return { verb, key: request.key, cost: request.cost, policies: request.policies }
    })
  }

  function decide(outcome: Outcome, request: StoreRequest): Decision<S> {
    const decision = decisionOf(outcome, request, asking.changeLease)
    if (request.verb === 'consume') report(request, decision)
    return decision
  }

  function report({ keys, entries, cost }: StoreRequest, decision: Decision): void {
    const { decision: decisions, denial: denials } = events
    if (!decisions.hasSubscribers && (decision.allowed || !denials.hasSubscribers)) return
    const names = Object.fromEntries(entries.map(({ name }, i) => [name, keys[i]]))
    const event = { limiter: name, keys: names, cost, decision }
    decisions.publish(event)
    if (!decision.allowed) denials.publish(event)
  }

  const limiter: Limiter<S> = {
    name,

    consume: (key, options) =>
      asking.ask(() => {
        checkCall(where, options, ['cost', 'owner', 'policies'])
        const owner = options?.owner === undefined ? undefined : text('owner', options.owner)
        return { verb: 'consume', key, cost: options?.cost, owner, policies: options?.policies }
      }, decide),

    peek: (key, options) =>
      asking.ask(() => {
        checkCall(where, options, ['cost', 'policies'])
        return { verb: 'peek', key, cost: options?.cost, policies: options?.policies }
      }, decide),

    consumeMany: (requests) => asking.askMany(() => questionsOf('consume', requests), decide),

    peekMany: (requests) => asking.askMany(() => questionsOf('peek', requests), decide),

    acquire: (key, options) => acquire(key, options),

    refund(decisionOrKey: Decision | Keys, n = 1) {
      const receipt = receiptOf(decisionOrKey)
      if (receipt !== undefined) return asking.give(receipt)
      return asking.ask(
        // Whatever is no decision is taken for a key, and refused if it is none.
        () => ({ verb: 'forgive', key: decisionOrKey as Keys, cost: count('n', n, mostUnits) }),
        () => true,
      )
    },

    penalize: (key, n) =>
      asking.ask(
        () => ({ verb: 'penalize', key, cost: count('n', n, mostUnits) }),
        () => {},
      ),

    block: (key, length) =>
      asking.ask(
        () => {
          const cost = duration.read(length)
          if (cost !== undefined) return { verb: 'block', key, cost }
          throw sluiceError('SLUICE_OPTION_INVALID', where, 'for', length, duration.expected)
        },
        () => {},
      ),

    unblock: (key) =>
      asking.ask(
        () => ({ verb: 'unblock', key }),
        () => {},
      ),

    release: (key, leaseId) =>
      asking.ask(
        () => ({ verb: 'release', key, lease: text('leaseId', leaseId) }),
        ({ allowed }) => allowed,
      ),

    renew: (key, leaseId) =>
      asking.ask(
        () => ({ verb: 'renew', key, lease: text('leaseId', leaseId) }),
        ({ allowed }) => allowed,
      ),

    reset: (key, options) =>
      asking.ask(
        () => {
          checkCall(where, options, ['unblock', 'policies'])
          const cost = options?.unblock === true ? 1 : 0
          return { verb: 'reset', key, cost, policies: options?.policies }
        },
        ({ allowed }) => allowed,
      ),

    status: (key) => asking.ask(() => ({ verb: 'peek', key, cost: 0 }), statusOf),
    ping: () => asking.ping(),
    close: () => asking.close(options.store === undefined),
  }
  const acquire = createAcquire(name, limiter, store.async)
  return limiter
}

function checkCall(where: string, options: object | undefined, known: readonly string[]): void {
  if (options !== undefined) rejectUnknown(where, optionsObject(where, options, known), known)
}
