import {
  anything,
  durationOrZero,
  optional,
  readOptions,
  signalOption,
  type Duration,
} from '../options/readers.js'
import type { DecisionRequest, Store } from '../stores/store.js'
import type { ConsumeOptions, Keys, PeekOptions } from './arguments.js'
import type { Decision } from './decision.js'
import { counts } from './limiter-policies.js'
import { occursWithin, pause } from './pause.js'
import { Queue, queueName, type Ticket } from './queue.js'
import { deniedLate } from './read-decision.js'
import { delayRequest, firmWaitOf, isQueued, overflows } from './waits.js'

/** Options of `acquire`. */
export interface AcquireOptions extends PeekOptions {
  /**
   * The longest wait. A call that is known to take longer is denied at once; so is a call that has to wait while 10,000 calls of this limiter wait in this
   * process. The `maxDelay` of a leaky queue is a separate bound.
   *
   * @default no bound
   */
  readonly maxWait?: Duration
  /** Ends the wait: the promise rejects with the signal's reason, and the call consumes nothing. */
  readonly signal?: AbortSignal
  /** The object that the decision is about, such as an HTTP request. The events of `sluice:decision` and `sluice:denial` contain it; nothing else reads it. */
  readonly request?: unknown
}

/** The option of `acquire` in place of `maxWait` whose value depends on the denials. Not for applications. */
export const waitAfter: unique symbol = Symbol('waitAfter')

interface OwnOptions extends AcquireOptions {
  /** The longest wait of a call after this denial, in milliseconds since the call. Undefined if it must not wait. */
  readonly [waitAfter]?: (denial: Decision) => number | undefined
}

/** The methods of a limiter that `acquire` uses. */
interface Methods<S extends Store> {
  consume(key: Keys, options: ConsumeOptions): Decision<S> | Promise<Decision<S>>
  peek(key: Keys, options: PeekOptions): Decision | Promise<Decision>
  refund(decision: Decision): boolean | Promise<boolean>
}

export type Acquire<S extends Store> = (key: Keys, options?: OwnOptions) => Promise<Decision<S>>

/**
 * Makes `acquire`. Only the first waiting call of a key asks the store, after the wait that its last denial named, so the calls of one process never overtake
 * each other. If several processes share the store, a small jitter spreads their calls. For a policy with leases it asks more often, because a lease can be
 * released long before it expires.
 *
 * A leaky queue keeps its own order: the next call is decided while a call that it allowed is delayed. A call for which the queue is too long is denied at
 * once: a wait in front of the queue would make its whole wait longer than `maxDelay`.
 *
 * A call without a policy that counts does not wait for other calls.
 *
 * @param isShared whether other processes can use the same store
 */
export function createAcquire<S extends Store>(
  limiter: string,
  methods: Methods<S>,
  requestOf: (key: Keys, options: PeekOptions) => DecisionRequest,
  isShared: boolean,
): Acquire<S> {
  const queues = new Map<string, Queue>()
  let waiting = 0

  return async function acquire(key, options = {}) {
    const call = readCall(limiter, key, options)
    call.signal?.throwIfAborted()
    const request = requestOf(key, call.peek)
    if (!request.policies.some(counts)) return methods.consume(key, call.consume)
    const name = queueName(key, request)
    const queue = queues.get(name) ?? new Queue()
    queues.set(name, queue)
    const ticket = queue.enter()
    if (++waiting > maxWaiting) call.deadline = () => -Infinity
    try {
      const decision = await decide(call, queue, ticket)
      if (!decision.allowed || !isQueued(decision)) return decision
      return await delayRequest(methods, decision, call.signal, ticket.start)
    } finally {
      waiting--
      ticket.end()
      if (queue.size === 0) queues.delete(name)
    }
  }

  /** Decides a call after the calls before it. */
  async function decide(call: Call, queue: Queue, ticket: Ticket): Promise<Decision<S>> {
    try {
      if (!ticket.isFirst && !(await comesFirst(call, queue, ticket))) {
        return await deniedInQueue(call, queue)
      }
      const decision = await decideFirst(call, queue)
      queue.allowedAt = 0
      return decision
    } finally {
      ticket.decided()
    }
  }

  /** Waits for the calls before this one. False if it cannot wait so long. */
  async function comesFirst({ deadline, signal }: Call, queue: Queue, { turn }: Ticket) {
    const end = deadline()
    return end >= queue.allowedAt && occursWithin(end - performance.now(), turn, signal)
  }

  /** Asks the store until it allows the first call of a queue, or the call cannot wait any longer. */
  async function decideFirst(call: Call, queue: Queue): Promise<Decision<S>> {
    const { key, signal } = call
    let deadline = call.deadline()
    for (let pollMs = minPollMs; ; pollMs = Math.min(2 * pollMs, maxPollMs)) {
      const decision = await methods.consume(key, call.consume)
      if (signal?.aborted === true) {
        if (decision.allowed) await methods.refund(decision)
        throw signal.reason
      }
      if (!decision.allowed) deadline = call.deadline(decision)
      const leftMs = deadline - performance.now()
      if (decision.allowed) {
        const isInTime = decision.delayMs === 0 || decision.delayMs <= leftMs
        return isInTime ? decision : deniedByDelay(call, decision)
      }
      const firm = firmWaitOf(decision)
      queue.deniedBy = decision.deniedBy
      queue.allowedAt = performance.now() + (firm ?? 0)
      if (firm === null || decision.retryAfterMs === null || firm > leftMs) return decision
      if (overflows(decision)) return decision
      const wait = Math.min(decision.retryAfterMs, Math.max(firm, pollMs))
      const jitter = isShared ? Math.random() * Math.min(maxJitterMs, wait / 4) : 0
      // The last attempt is at the end of the wait: a lease can be released until then.
      await pause(Math.max(firm, Math.min(wait + jitter, leftMs)), signal)
    }
  }

  /** Denies a call that cannot wait for the calls before it, even if its units are available. */
  async function deniedInQueue(call: Call, queue: Queue): Promise<Decision<S>> {
    const decision = await methods.peek(call.key, call.peek)
    if (!decision.allowed) return deniedLate(decision, decision.retryAfterMs, decision.deniedBy)
    // It takes nothing from the calls before it.
    if (decision.exempt === true) return methods.consume(call.key, call.consume)
    const wait = Math.max(1, Math.ceil(queue.allowedAt - performance.now()))
    return deniedLate(decision, wait, queue.deniedBy)
  }

  /** Denies a call that a leaky queue allowed with a delay longer than the call can wait, and refunds it. */
  async function deniedByDelay(call: Call, decision: Decision<S>): Promise<Decision<S>> {
    const [, current] = await Promise.all([
      methods.refund(decision),
      methods.peek(call.key, call.peek),
    ])
    const names = Object.keys(decision.policies)
    const late = names.filter((name) => decision.policies[name].delayMs > 0)
    return deniedLate(current, decision.delayMs, late)
  }
}

/** A limit on the memory that waiting calls can take. */
const maxWaiting = 10_000

const maxJitterMs = 50
const minPollMs = 5
const maxPollMs = 100

interface Call {
  readonly key: Keys
  readonly consume: ConsumeOptions
  /** A peek publishes no event, so it has no "request" option. */
  readonly peek: PeekOptions
  readonly signal: AbortSignal | undefined
  /** The end of the longest wait of the call, by `performance.now()`: at first, and after a denial. */
  deadline: (denial?: Decision) => number
}

function readCall(limiter: string, key: Keys, options: OwnOptions): Call {
  const { maxWait, signal } = readOptions(`limiter "${limiter}"`, options, readers)
  const { cost = 1, policies, request, [waitAfter]: waitOf } = options
  const start = performance.now()
  const peek = policies === undefined ? { cost } : { cost, policies }
  return {
    key,
    consume: request === undefined ? peek : { ...peek, request },
    peek,
    signal,
    deadline: (denial) => start + (denial && waitOf ? (waitOf(denial) ?? -Infinity) : maxWait),
  }
}

const readers = {
  cost: anything,
  policies: anything,
  maxWait: optional(durationOrZero, Infinity),
  signal: signalOption,
  request: anything,
}
