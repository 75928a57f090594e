import { deniedLate, type Decision } from '../decision.js'
import { isKey, type Keys, type Policies, type PolicyChoice } from '../bound-policies.js'
import { sluiceError } from '../../errors.js'
import { hold } from './hold.js'
import { joinKey } from '../../keys.js'
import { pause } from './pause.js'
import {
  durationOrZero,
  optionsObject,
  rejectUnknown,
  type Duration,
} from '../../options/readers.js'
import type { Store } from '../../stores/store.js'
import { createTurns, turnBefore, type Turn, type Turns } from './turns.js'
import { firmWaitOf, isQueued, overflows } from './waits.js'

export interface AcquireOptions extends PolicyChoice {
  /**
   * How many units the request takes: a whole number.
   *
   * @default 1
   */
  readonly cost?: number
  /**
   * The longest to wait. What is known to take longer is denied at once, and so is a call that comes while 10,000 calls of this limiter wait
   * already in this process. The `maxDelay` of a leaky queue is a bound of its own.
   *
   * @default no bound
   */
  readonly maxWait?: Duration
  /** Ends the wait: the promise rejects with the signal's reason, and nothing is taken. */
  readonly signal?: AbortSignal
  /** What is decided about, such as an HTTP request: the events of decisions carry it, and nothing else looks at it. */
  readonly request?: unknown
}

/** What waiting needs of a limiter. */
interface Admission<S extends Store> {
  consume(key: Keys, options: Asked): Decision<S> | Promise<Decision<S>>
  peek(key: Keys, options: Question): Decision | Promise<Decision>
  refund(decision: Decision): boolean | Promise<boolean>
}

interface Question {
  readonly cost: number
  readonly policies?: Policies
}

interface Asked extends Question {
  readonly request?: unknown
}

/** The calls for one key, in the order in which they came. */
interface Line {
  /** How many are not settled yet. */
  calls: number
  /** The order in which they are decided. */
  readonly decisions: Turns
  /** The order in which those that a leaky queue holds are let go. */
  readonly queue: Turns
  /** Why the first of the undecided waits, and until when at the least, by `performance.now()`. */
  deniedBy: readonly string[]
  due: number
}

export type Acquire<S extends Store> = (key: Keys, options?: AcquireOptions) => Promise<Decision<S>>

/**
 * Waits until a request is allowed. Only the first waiter of a key asks the store, when its last denial said that it may come again, so the
 * waiters of one process never overtake each other. If other processes wait too, a little jitter keeps them from coming all at once. For
 * what is held under leases it asks more often, since it may be released long before they end.
 *
 * A leaky queue orders its requests by itself, so a waiter that it allowed leaves the line, is held for its delay, and the next one asks
 * meanwhile. A request for which the queue is too long is denied at once: to wait in front of it would make its wait longer than `maxDelay`.
 *
 * @param isCounted whether a request has to wait for others at all: one without a policy that counts does not
 */
export function createAcquire<S extends Store>(
  limiter: string,
  admission: Admission<S>,
  isCounted: (key: Keys, question: Question) => boolean,
  shared: boolean,
): Acquire<S> {
  const lines = new Map<string, Line>()
  let waiting = 0

  return async function acquire(key, options = {}) {
    const { asked, until, signal } = checkedOptions(limiter, options)
    signal?.throwIfAborted()
    if (!isCounted(key, withoutRequest(asked))) return admission.consume(key, asked)
    const id = lineOf(key)
    const line: Line = lines.get(id) ?? newLine()
    lines.set(id, line)
    line.calls++
    waiting++
    try {
      const { decision, place } = await inTurn(line, key, asked, until, signal)
      if (place === undefined) return decision
      return await hold(admission, { ...asked, key, decision }, signal, place)
    } finally {
      waiting--
      if (--line.calls === 0) lines.delete(id)
    }
  }

  /** Decides about a request once those before it are decided. If a leaky queue is to hold it, it has a place there before the next one asks. */
  async function inTurn(
    line: Line,
    key: Keys,
    asked: Asked,
    until: number,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly decision: Decision<S>; readonly place?: Turn }> {
    const isFirst = line.decisions.isEmpty()
    const turn = line.decisions.enter()
    try {
      const mayWaitUntil = waiting > mostWaiting ? -Infinity : until
      const hasCome =
        isFirst || (mayWaitUntil >= line.due && (await turnBefore(turn, until, signal)))
      if (!hasCome) return { decision: await deniedInLine(line, key, asked) }
      const decision = await decided(line, key, asked, mayWaitUntil, signal)
      line.due = 0
      const startsNow = decision.delayMs === 0 && line.queue.isEmpty()
      if (!decision.allowed || startsNow || !isQueued(decision)) return { decision }
      return { decision, place: line.queue.enter() }
    } finally {
      turn.leave()
    }
  }

  async function decided(
    line: Line,
    key: Keys,
    asked: Asked,
    until: number,
    signal: AbortSignal | undefined,
  ): Promise<Decision<S>> {
    for (let pollMs = shortestPollMs; ; pollMs = Math.min(2 * pollMs, longestPollMs)) {
      const decision = await admission.consume(key, asked)
      if (signal?.aborted === true) {
        if (decision.allowed) await admission.refund(decision)
        throw signal.reason
      }
      const leftMs = until - performance.now()
      if (decision.allowed) {
        const isInTime = decision.delayMs === 0 || decision.delayMs <= leftMs
        return isInTime ? decision : tooLate(key, asked, decision)
      }
      const firm = firmWaitOf(decision)
      line.deniedBy = decision.deniedBy
      line.due = performance.now() + (firm ?? 0)
      if (firm === null || decision.retryAfterMs === null || firm > leftMs) return decision
      if (overflows(decision)) return decision
      const wait = Math.min(decision.retryAfterMs, Math.max(firm, pollMs))
      const jitter = shared ? Math.random() * Math.min(mostJitterMs, wait / 4) : 0
      // Asked once more at the very end, where a release may still come.
      await pause(Math.max(firm, Math.min(wait + jitter, leftMs)), signal)
    }
  }

  /** A request that cannot wait for those before it is denied, though what it asks for may be there. */
  async function deniedInLine(line: Line, key: Keys, asked: Asked): Promise<Decision<S>> {
    const decision = await admission.peek(key, withoutRequest(asked))
    if (!decision.allowed) return deniedLate(decision, decision.retryAfterMs, decision.deniedBy)
    const wait = Math.max(1, Math.ceil(line.due - performance.now()))
    return deniedLate(decision, wait, line.deniedBy)
  }

  /** A leaky queue allows a request and says when to start it. One that cannot wait so long takes nothing. */
  async function tooLate(key: Keys, asked: Asked, decision: Decision<S>): Promise<Decision<S>> {
    const [, stand] = await Promise.all([
      admission.refund(decision),
      admission.peek(key, withoutRequest(asked)),
    ])
    const names = Object.keys(decision.policies)
    const late = names.filter((name) => decision.policies[name].delayMs > 0)
    return deniedLate(stand, decision.delayMs, late)
  }
}

/** No event tells of what is not consumed, so such a call takes no request. */
function withoutRequest({ cost, policies }: Asked): Question {
  return policies === undefined ? { cost } : { cost, policies }
}

function newLine(): Line {
  return { calls: 0, decisions: createTurns(), queue: createTurns(), deniedBy: [], due: 0 }
}

/** Whose line it is: no longer than the key is in a store. What is no key is refused when it is asked about. */
function lineOf(key: Keys): string {
  if (isKey(key)) return `one ${joinKey(key)}`
  const keys = Object.entries(key).map(([name, own]) => [name, joinKey(own) ?? null])
  return `each ${JSON.stringify(keys)}`
}

/** Memory is not for whoever sends more than can ever be let in. */
const mostWaiting = 10_000

const mostJitterMs = 50
const shortestPollMs = 5
const longestPollMs = 100

interface CheckedOptions {
  readonly asked: Asked
  /** By `performance.now()`. */
  readonly until: number
  readonly signal: AbortSignal | undefined
}

function checkedOptions(limiter: string, options: AcquireOptions): CheckedOptions {
  const known = ['cost', 'policies', 'maxWait', 'signal', 'request']
  const where = `limiter "${limiter}"`
  rejectUnknown(where, optionsObject(where, options, known), known)
  const { cost = 1, policies, maxWait, signal, request } = options
  const waitMs = maxWait === undefined ? Infinity : durationOrZero.read(maxWait)
  if (waitMs === undefined) {
    const { expected } = durationOrZero
    throw sluiceError('SLUICE_OPTION_INVALID', where, 'maxWait', maxWait, expected)
  }
  const asked = {
    cost,
    ...(policies === undefined ? {} : { policies }),
    ...(request === undefined ? {} : { request }),
  }
  return { asked, until: performance.now() + waitMs, signal }
}
