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
import type { Queue, Queues, Ticket } from './queue.js'
import { deniedLate } from './read-decision.js'
import { delayRequest, firmWaitOf, isQueued, overflows } from './waits.js'

/** Options of `acquire`. */
export interface AcquireOptions extends PeekOptions {
  /**
   * The longest wait. A call that is known to take longer, with the calls before it, is denied at once; so is a call that has to wait while 10,000 calls of this
   * limiter wait in this process. The `maxDelay` of a leaky queue is a separate bound.
   *
   * @default no bound
   */
  readonly maxWait?: Duration | undefined
  /** Ends the wait: the promise rejects with the signal's reason, and the call consumes nothing. */
  readonly signal?: AbortSignal | undefined
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

/**
 * Makes `acquire`. Only the first waiting call of a queue asks the store: at the end of the wait that its denial named, when this process has changed what its
 * keys count, and each second if other processes can change it. So the calls of one process never overtake each other. A small jitter spreads the calls of several
 * processes. For a policy with leases it asks more often, because a lease can be released long before it expires. Until the wait is over it only peeks: a
 * denied consumption would be published, and could start a block.
 *
 * A call that is known to be too late is denied at once, those before it included: see `Forecast`.
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
  queues: Queues,
  isShared: boolean,
): (key: Keys, options?: OwnOptions) => Promise<Decision<S>> {
  let waiting = 0

  return async function acquire(key, options = {}) {
    const call = readCall(limiter, key, options)
    call.signal?.throwIfAborted()
    const request = requestOf(key, call.peek)
    if (!request.policies.some(counts)) return methods.consume(key, call.consume)
    if (++waiting > maxWaiting) call.deadline = () => -Infinity
    const ticket = queues.enter(request, call.deadline())
    try {
      const decision = await decide(call, ticket)
      if (!decision.allowed || !isQueued(decision)) return decision
      return await delayRequest(methods, decision, call.signal, async () => {
        while (!ticket.queue.mayStart(ticket)) await ticket.sleep(Infinity, call.signal)
      })
    } finally {
      waiting--
      queues.leave(request, ticket)
    }
  }

  /** Decides a call after the calls before it. */
  async function decide(call: Call, ticket: Ticket): Promise<Decision<S>> {
    const { queue, deadline } = ticket
    let isAllowed = false
    try {
      while (!queue.isFirst(ticket)) {
        if (deadline === -Infinity || ticket.isLate) return await deniedInQueue(call, ticket)
        const left = ticket.isOver ? Infinity : deadline - performance.now()
        if (await ticket.sleep(left, call.signal)) ticket.isOver = true
      }
      const decision = await decideFirst(call, queue, ticket)
      isAllowed = decision.allowed
      return decision
    } finally {
      queue.decided(ticket, isAllowed)
    }
  }

  /** Asks the store until it allows the first call of a queue, or the call cannot wait any longer. */
  async function decideFirst(call: Call, queue: Queue, ticket: Ticket): Promise<Decision<S>> {
    const { signal } = call
    let deadline = call.deadline()
    let decision: Decision<S> = await consumed(call)
    for (let pollMs = minPollMs; !decision.allowed; pollMs = Math.min(2 * pollMs, maxPollMs)) {
      const { retryAfterMs } = decision
      deadline = call.deadline(decision)
      const leftMs = deadline - performance.now()
      const firm = firmWaitOf(decision)
      const never = firm === null || retryAfterMs === null
      if (never || firm > leftMs || leftMs <= 0 || overflows(decision)) return decision
      queue.denied(decision, firm)
      const wait = Math.min(retryAfterMs, Math.max(firm, pollMs))
      const jitter = isShared ? Math.random() * Math.min(maxJitterMs, wait / 4) : 0
      // The last attempt is at the end of the wait: a lease can be released until then.
      const whole = Math.max(firm, Math.ceil(Math.min(wait + jitter, leftMs)))
      const length = isShared ? Math.min(whole, seenAfterMs + jitter) : whole
      const isOver = (await ticket.sleep(length, signal)) && length >= retryAfterMs
      const current = isOver ? undefined : await methods.peek(call.key, call.peek)
      const isDenied = current?.allowed === false
      decision = isDenied ? deniedLate(current, current.retryAfterMs) : await consumed(call)
    }
    const isInTime = decision.delayMs === 0 || decision.delayMs <= deadline - performance.now()
    return isInTime ? decision : deniedByDelay(call, decision)
  }

  /** The decision of the store. If the call has left meanwhile, it takes nothing. */
  async function consumed(call: Call): Promise<Decision<S>> {
    const decision = await methods.consume(call.key, call.consume)
    if (call.signal?.aborted !== true) return decision
    if (decision.allowed) await methods.refund(decision)
    throw call.signal.reason
  }

  /** Denies a call that cannot wait for the calls before it, even if its units are available. */
  async function deniedInQueue(call: Call, { queue, expected }: Ticket): Promise<Decision<S>> {
    const { deniedBy } = expected.deniedBy.length > 0 ? expected : queue
    const decision = await methods.peek(call.key, call.peek)
    // It takes nothing from the calls before it.
    if (decision.exempt === true) return methods.consume(call.key, call.consume)
    const own = decision.retryAfterMs
    const inQueue = Math.max(1, Math.ceil(expected.allowedAt - performance.now()))
    const wait = own === null || inQueue === Infinity ? null : Math.max(own, inQueue)
    return deniedLate(decision, wait, deniedBy.length > 0 ? deniedBy : decision.deniedBy)
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

/** A change by another process is seen after this time. With jitter, it is less than a second. */
const seenAfterMs = 900

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
