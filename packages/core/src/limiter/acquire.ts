import type { Decision } from './decision.js'
import { deniedLate } from './read-decision.js'
import type { Policies, PolicyChoice } from './limiter-policies.js'
import type { Keys, Costs } from './arguments.js'
import { sluiceError } from '../errors.js'
import { delayRequest, firmWaitOf, isQueued, overflows } from './waits.js'
import { lineOf, newLine, type Line } from './lines.js'
import { pause, turnBefore, type Turn } from './turns.js'
import { durationOrZero, optionsObject, rejectUnknown, type Duration } from '../options/readers.js'
import type { Store } from '../stores/store.js'

/** Options of `acquire`. */
export interface AcquireOptions extends PolicyChoice {
  /**
   * Units that the request takes: a whole number, or a record from the name of a policy to a number. A policy that the record leaves out takes 1.
   *
   * @default 1
   */
  readonly cost?: Costs
  /**
   * The longest wait. A call that is known to take longer is denied at once; so is a call that has to wait while 10,000 calls of this limiter wait in
   * this process. The `maxDelay` of a leaky queue is a separate bound.
   *
   * @default no bound
   */
  readonly maxWait?: Duration
  /** Ends the wait: the promise rejects with the signal's reason, and the call consumes nothing. */
  readonly signal?: AbortSignal
  /**
   * The object that the decision is about, such as an HTTP request. The events of `sluice:decision` and `sluice:denial` contain it; nothing else
   * reads it.
   */
  readonly request?: unknown
}

/** The option of `acquire` in place of `maxWait` whose value depends on the denials. Not for applications. */
export const waitAfter: unique symbol = Symbol('waitAfter')

interface OwnOptions extends AcquireOptions {
  /** The longest wait of a call after this denial, in milliseconds since the call. Undefined if it must not wait. */
  readonly [waitAfter]?: (denial: Decision) => number | undefined
}

/** The methods of a limiter that `acquire` uses. */
interface Admission<S extends Store> {
  consume(key: Keys, options: ConsumeCall): Decision<S> | Promise<Decision<S>>
  peek(key: Keys, options: PeekCall): Decision | Promise<Decision>
  refund(decision: Decision): boolean | Promise<boolean>
}

interface PeekCall {
  readonly cost: Costs
  readonly policies?: Policies
}

interface ConsumeCall extends PeekCall {
  readonly request?: unknown
}

export type Acquire<S extends Store> = (key: Keys, options?: OwnOptions) => Promise<Decision<S>>

/**
 * Makes `acquire`. Only the first waiting call of a key asks the store, after the wait that its last denial named, so the calls of one process never
 * overtake each other. If several processes share the store, a small jitter spreads their calls. For a policy with leases it asks more often,
 * because a lease can be released long before it expires.
 *
 * A leaky queue keeps its own order. A call that it allowed therefore leaves the line and is delayed, while the next call asks the store. A call for
 * which the queue is too long is denied at once: a wait in front of the queue would make its whole wait longer than `maxDelay`.
 *
 * @param isCounted whether a call has a policy that counts: a call without one does not wait for other calls
 * @param isShared whether other processes can use the same store
 */
export function createAcquire<S extends Store>(
  limiter: string,
  admission: Admission<S>,
  isCounted: (key: Keys, call: PeekCall) => boolean,
  isShared: boolean,
): Acquire<S> {
  const lines = new Map<string, Line>()
  let waiting = 0

  return async function acquire(key, options = {}) {
    const { call, untilOf, signal } = checkedOptions(limiter, options)
    signal?.throwIfAborted()
    if (!isCounted(key, withoutRequest(call))) return admission.consume(key, call)
    const id = lineOf(key)
    const line: Line = lines.get(id) ?? newLine()
    lines.set(id, line)
    line.calls++
    waiting++
    try {
      const { decision, delayTurn } = await inTurn(line, key, call, untilOf, signal)
      if (delayTurn === undefined) return decision
      return await delayRequest(admission, decision, signal, delayTurn)
    } finally {
      waiting--
      if (--line.calls === 0) lines.delete(id)
    }
  }

  /** Decides a call after the calls before it. If a leaky queue delays the call, it takes its turn there before the next call is decided. */
  async function inTurn(
    line: Line,
    key: Keys,
    call: ConsumeCall,
    untilOf: UntilOf,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly decision: Decision<S>; readonly delayTurn?: Turn }> {
    const isFirst = line.decisions.isEmpty()
    const turn = line.decisions.enter()
    try {
      const mayWaitUntil: UntilOf = waiting > maxWaiting ? () => -Infinity : untilOf
      const until = mayWaitUntil()
      const isNext = isFirst || (until >= line.due && (await turnBefore(turn, until, signal)))
      if (!isNext) return { decision: await deniedInLine(line, key, call) }
      const decision = await decided(line, key, call, mayWaitUntil, signal)
      line.due = 0
      const startsNow = decision.delayMs === 0 && line.delays.isEmpty()
      if (!decision.allowed || startsNow || !isQueued(decision)) return { decision }
      return { decision, delayTurn: line.delays.enter() }
    } finally {
      turn.end()
    }
  }

  async function decided(
    line: Line,
    key: Keys,
    call: ConsumeCall,
    untilOf: UntilOf,
    signal: AbortSignal | undefined,
  ): Promise<Decision<S>> {
    let until = untilOf()
    for (let pollMs = minPollMs; ; pollMs = Math.min(2 * pollMs, maxPollMs)) {
      const decision = await admission.consume(key, call)
      if (signal?.aborted === true) {
        if (decision.allowed) await admission.refund(decision)
        throw signal.reason
      }
      if (!decision.allowed) until = untilOf(decision)
      const leftMs = until - performance.now()
      if (decision.allowed) {
        const isInTime = decision.delayMs === 0 || decision.delayMs <= leftMs
        return isInTime ? decision : tooLate(key, call, decision)
      }
      const firm = firmWaitOf(decision)
      line.deniedBy = decision.deniedBy
      line.due = performance.now() + (firm ?? 0)
      if (firm === null || decision.retryAfterMs === null || firm > leftMs) return decision
      if (overflows(decision)) return decision
      const wait = Math.min(decision.retryAfterMs, Math.max(firm, pollMs))
      const jitter = isShared ? Math.random() * Math.min(maxJitterMs, wait / 4) : 0
      // The last attempt is at the end of the wait: a lease can be released until then.
      await pause(Math.max(firm, Math.min(wait + jitter, leftMs)), signal)
    }
  }

  /** Denies a call that cannot wait for the calls before it, even if its units are available. */
  async function deniedInLine(line: Line, key: Keys, call: ConsumeCall): Promise<Decision<S>> {
    const decision = await admission.peek(key, withoutRequest(call))
    if (!decision.allowed) return deniedLate(decision, decision.retryAfterMs, decision.deniedBy)
    // It takes nothing from the calls before it.
    if (decision.exempt === true) return admission.consume(key, call)
    const wait = Math.max(1, Math.ceil(line.due - performance.now()))
    return deniedLate(decision, wait, line.deniedBy)
  }

  /** Denies a call that a leaky queue allowed with a delay longer than the call can wait, and refunds it. */
  async function tooLate(
    key: Keys,
    call: ConsumeCall,
    decision: Decision<S>,
  ): Promise<Decision<S>> {
    const [, current] = await Promise.all([
      admission.refund(decision),
      admission.peek(key, withoutRequest(call)),
    ])
    const names = Object.keys(decision.policies)
    const late = names.filter((name) => decision.policies[name].delayMs > 0)
    return deniedLate(current, decision.delayMs, late)
  }
}

/** A peek publishes no event, so it has no "request" option. */
function withoutRequest({ cost, policies }: ConsumeCall): PeekCall {
  return policies === undefined ? { cost } : { cost, policies }
}

/** A limit on the memory that waiting calls can take. */
const maxWaiting = 10_000

const maxJitterMs = 50
const minPollMs = 5
const maxPollMs = 100

/** The end of the longest wait of a call, by `performance.now()`: at first, and after a denial. */
type UntilOf = (denial?: Decision) => number

interface CheckedOptions {
  readonly call: ConsumeCall
  readonly untilOf: UntilOf
  readonly signal: AbortSignal | undefined
}

function checkedOptions(limiter: string, options: OwnOptions): CheckedOptions {
  const known = ['cost', 'policies', 'maxWait', 'signal', 'request']
  const where = `limiter "${limiter}"`
  rejectUnknown(where, optionsObject(where, options, known), known)
  const { cost = 1, policies, maxWait, signal, request, [waitAfter]: waitOf } = options
  const waitMs = maxWait === undefined ? Infinity : durationOrZero.read(maxWait)
  if (waitMs === undefined) {
    const { expected } = durationOrZero
    throw sluiceError('SLUICE_OPTION_INVALID', where, 'maxWait', maxWait, expected)
  }
  assertSignal(where, signal)
  const call = {
    cost,
    ...(policies === undefined ? {} : { policies }),
    ...(request === undefined ? {} : { request }),
  }
  const start = performance.now()
  const untilOf: UntilOf = (denial) =>
    start + (denial === undefined || waitOf === undefined ? waitMs : (waitOf(denial) ?? -Infinity))
  return { call, untilOf, signal }
}

/** @throws SluiceError SLUICE_OPTION_INVALID if the option `signal` is something else */
export function assertSignal(where: string, signal: unknown): void {
  if (signal === undefined || signal instanceof AbortSignal) return
  throw sluiceError('SLUICE_OPTION_INVALID', where, 'signal', signal, 'an AbortSignal')
}
