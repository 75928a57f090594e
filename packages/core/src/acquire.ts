import { deniedLate, firmWaitOf, type Decision } from './decision.js'
import { isKey, type Keys, type Policies, type PolicyChoice } from './entries.js'
import { sluiceError } from './errors.js'
import { hold } from './hold.js'
import { joinKey } from './keys.js'
import { pause } from './pause.js'
import { durationOrZero, optionsObject, rejectUnknown, type Duration } from './option-readers.js'
import type { Store } from './stores/store.js'

export interface AcquireOptions extends PolicyChoice {
  /**
   * How many units the request takes: a whole number.
   *
   * @default 1
   */
  readonly cost?: number
  /**
   * The longest to wait. What is known to take longer is denied at once, and so is whoever comes while 10,000 calls of this limiter wait
   * already in this process.
   *
   * @default no bound
   */
  readonly maxWait?: Duration
  /** Ends the wait: the promise rejects with the signal's reason, and nothing is taken. */
  readonly signal?: AbortSignal
}

/** What waiting needs of a limiter. */
interface Admission<S extends Store> {
  consume(key: Keys, options: Asked): Decision<S> | Promise<Decision<S>>
  peek(key: Keys, options: Asked): Decision | Promise<Decision>
  refund(decision: Decision): boolean | Promise<boolean>
}

interface Asked {
  readonly cost: number
  readonly policies?: Policies
}

/** The waiters for one key, in the order in which they came. */
interface Line {
  waiters: number
  /** Settles when the last of them has left. */
  last: Promise<void>
  /** Why the first of them waits, and until when at the least, by `performance.now()`. */
  deniedBy: readonly string[]
  due: number
}

export type Acquire<S extends Store> = (key: Keys, options?: AcquireOptions) => Promise<Decision<S>>

/**
 * Waits for admission. Only the first waiter of a key asks the store, when its last denial said that it may come again, so the waiters of
 * one process never overtake each other. Where other processes wait too, a little jitter keeps them from coming all at once. For what is held
 * under leases he asks more often, since it may be released long before they end.
 */
export function createAcquire<S extends Store>(
  limiter: string,
  admission: Admission<S>,
  shared: boolean,
): Acquire<S> {
  const lines = new Map<string, Line>()
  let waiting = 0

  return async function acquire(key, options = {}) {
    const { asked, until, signal } = checkedOptions(limiter, options)
    signal?.throwIfAborted()
    const id = lineOf(key)
    const line: Line = lines.get(id) ?? newLine()
    lines.set(id, line)
    line.waiters++
    waiting++
    const turn = line.last
    let leave: () => void = () => {}
    const left = new Promise<void>((resolve) => (leave = resolve))
    line.last = turn.then(() => left)
    try {
      const isFirst = line.waiters === 1
      const mayWaitUntil = waiting > mostWaiting ? -Infinity : until
      if (isFirst || (mayWaitUntil >= line.due && (await turnBefore(turn, until, signal)))) {
        return await admitted(line, key, asked, mayWaitUntil, signal)
      }
      return await deniedInLine(line, key, asked)
    } finally {
      leave()
      waiting--
      if (--line.waiters === 0) lines.delete(id)
    }
  }

  async function admitted(
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
      if (decision.allowed) {
        return decision.delayMs === 0 ? decision : held(decision, until, signal)
      }
      const firm = firmWaitOf(decision)
      line.deniedBy = decision.deniedBy
      line.due = performance.now() + (firm ?? 0)
      const leftMs = until - performance.now()
      if (firm === null || decision.retryAfterMs === null || firm > leftMs) return decision
      const wait = Math.min(decision.retryAfterMs, Math.max(firm, pollMs))
      const jitter = shared ? Math.random() * Math.min(mostJitterMs, wait / 4) : 0
      // Asked once more at the very end, where a release may still come.
      await pause(Math.max(firm, Math.min(wait + jitter, leftMs)), signal)
    }
  }

  /** Whoever cannot wait for those before him is denied, though there may be room for what he asks. */
  async function deniedInLine(line: Line, key: Keys, asked: Asked): Promise<Decision<S>> {
    const decision = await admission.peek(key, asked)
    if (!decision.allowed) return deniedLate(decision, decision.retryAfterMs, decision.deniedBy)
    const wait = Math.max(1, Math.ceil(line.due - performance.now()))
    return deniedLate(decision, wait, line.deniedBy)
  }

  /** A leaky queue admits at once and says when to start. Who does not wait for that takes nothing. */
  async function held(
    decision: Decision<S>,
    until: number,
    signal: AbortSignal | undefined,
  ): Promise<Decision<S>> {
    if (performance.now() + decision.delayMs <= until) return hold(admission, decision, signal)
    await admission.refund(decision)
    const names = Object.keys(decision.policies)
    const late = names.filter((name) => decision.policies[name].delayMs > 0)
    return deniedLate(decision, decision.delayMs, late)
  }
}

function newLine(): Line {
  return { waiters: 0, last: Promise.resolve(), deniedBy: [], due: 0 }
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

/** True when the turn has come, false where `until` came first. */
async function turnBefore(
  turn: Promise<void>,
  until: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const over = new AbortController()
  const either = signal === undefined ? over.signal : AbortSignal.any([over.signal, signal])
  const tooLate = pause(until - performance.now(), either)
  // Ended below when the turn came first; nobody is told.
  tooLate.catch(() => {})
  try {
    return await Promise.race([turn.then(() => true), tooLate.then(() => false)])
  } finally {
    over.abort()
  }
}

interface CheckedOptions {
  readonly asked: Asked
  /** By `performance.now()`. */
  readonly until: number
  readonly signal: AbortSignal | undefined
}

function checkedOptions(limiter: string, options: AcquireOptions): CheckedOptions {
  const known = ['cost', 'policies', 'maxWait', 'signal']
  const where = `limiter "${limiter}"`
  rejectUnknown(where, optionsObject(where, options, known), known)
  const { cost = 1, policies, maxWait, signal } = options
  const waitMs = maxWait === undefined ? Infinity : durationOrZero.read(maxWait)
  if (waitMs === undefined) {
    const { expected } = durationOrZero
    throw sluiceError('SLUICE_OPTION_INVALID', where, 'maxWait', maxWait, expected)
  }
  const asked = policies === undefined ? { cost } : { cost, policies }
  return { asked, until: performance.now() + waitMs, signal }
}
