import type { Block, Verdict } from '@sluice/core'
import { createBlocks } from './blocks.js'

/** Units that were allowed at a moment, or taken by a penalty. */
export interface Admission {
  readonly at: number
  readonly cost: number
}

export type Admissions = readonly Admission[]

/** The definition of a policy, from first principles, over the list of all its admissions. */
export interface Meaning {
  /** The number of units of the full quota. */
  readonly quota: number
  /** The greatest cost that can ever be allowed, if that is not the quota. */
  readonly greatest?: number
  /**
   * Whether the definition allows a request of this cost at this moment. If it does, it must also allow it later, until another request is allowed,
   * and it must allow any smaller cost: the search for the waits depends on both.
   */
  fits(admissions: Admissions, at: number, cost: number): boolean
  /** The units that are left, if that is not the greatest cost that fits. */
  remaining?(admissions: Admissions, at: number): number
  /** Whether the quota is full, if that is not whether all of it fits. */
  isFull?(admissions: Admissions, at: number): boolean
  /** How long a request that fits is delayed. */
  delay?(admissions: Admissions, at: number, cost: number): number
  /** The state before the first request, or after the last one has expired, as a list of admissions. */
  born?(admissions: Admissions, at: number): Admissions
}

/** The verdict according to the definition. It counts at most the limit as used, because the definitions set no bound for a debt. */
export type ModelAnswer = Verdict

/** A slow, simple form of one policy on one key. Its clock must not go backwards, because the definitions do not cover that. */
export interface Model {
  consume(now: number, cost: number): ModelAnswer
  peek(now: number, cost: number): ModelAnswer
  penalize(now: number, units: number): void
}

export function createModel(meaning: Meaning, block?: Block): Model {
  const { quota } = meaning
  const blocks = createBlocks(block)
  let admissions: Admissions = []
  let latest = 0

  /** The admissions before a request at this moment. */
  function found(now: number): Admissions {
    if (now < latest)
      throw new RangeError(`the model's clock stepped back from ${latest} to ${now}`)
    latest = now
    return meaning.born?.(admissions, now) ?? admissions
  }

  function answer(history: Admissions, now: number, cost: number, delayMs: number | undefined) {
    const allowed = delayMs !== undefined
    const isOpen = (at: number) => at >= blocks.until
    const unspent = remainingOf(meaning, history, now)
    const left = isOpen(now) ? unspent : 0
    const grown = (wait: number) =>
      isOpen(now + wait) &&
      (meaning.remaining === undefined
        ? admits(meaning, history, now + wait, left + 1)
        : meaning.remaining(history, now + wait) > left)
    return {
      allowed,
      used: quota === Infinity ? 0 : quota - unspent,
      limit: quota,
      remaining: left,
      retryAfterMs: allowed
        ? 0
        : isPossible(meaning, cost)
          ? leastFrom(0, (wait) => isOpen(now + wait) && admits(meaning, history, now + wait, cost))
          : null,
      nextMs: left === quota ? 0 : leastFrom(0, grown),
      resetMs: leastFrom(0, (wait) => isOpen(now + wait) && isFull(meaning, history, now + wait)),
      delayMs: delayMs ?? 0,
    }
  }

  /** The delay of a request that is allowed; undefined if the request is denied. */
  function decide(history: Admissions, now: number, cost: number): number | undefined {
    if (now < blocks.until || !admits(meaning, history, now, cost)) return undefined
    return meaning.delay?.(history, now, cost) ?? 0
  }

  return {
    consume(now, cost) {
      admissions = found(now)
      const delayMs = decide(admissions, now, cost)
      if (delayMs !== undefined) {
        if (cost > 0) admissions = [...admissions, { at: now, cost }]
        if (cost > 0 && !admits(meaning, admissions, now, 1)) blocks.reached(now)
      } else if (!admits(meaning, admissions, now, cost) && blocks.exceeded(now)) {
        // A bucket that is not full at its first request is kept for as long as its block.
        if (meaning.born !== undefined) admissions = [...admissions, { at: now, cost: 0 }]
      }
      return answer(admissions, now, cost, delayMs)
    },
    peek(now, cost) {
      const history = found(now)
      return answer(history, now, cost, decide(history, now, cost))
    },
    penalize(now, units) {
      const history = found(now)
      // A penalty of 0 units saves nothing.
      if (units > 0) admissions = [...history, { at: now, cost: units }]
    },
  }
}

export function greatestOf({ greatest, quota }: Meaning): number {
  return quota === 0 ? -1 : (greatest ?? quota)
}

function isPossible(meaning: Meaning, cost: number): boolean {
  return cost <= greatestOf(meaning)
}

export function admits(
  meaning: Meaning,
  admissions: Admissions,
  at: number,
  cost: number,
): boolean {
  return isPossible(meaning, cost) && meaning.fits(admissions, at, cost)
}

export function remainingOf(meaning: Meaning, admissions: Admissions, at: number): number {
  if (meaning.quota === 0) return 0
  if (meaning.remaining !== undefined) return meaning.remaining(admissions, at)
  return leastFrom(0, (cost) => !admits(meaning, admissions, at, cost + 1))
}

export function isFull(meaning: Meaning, admissions: Admissions, at: number): boolean {
  if (meaning.quota === 0) return true
  return meaning.isFull?.(admissions, at) ?? meaning.fits(admissions, at, meaning.quota)
}

/** The least whole number from `start` on for which `holds`, which must also hold for every greater number: galloping, then bisection. */
export function leastFrom(start: number, holds: (n: number) => boolean): number {
  if (holds(start)) return start
  let below = start
  let step = 1
  while (!holds(below + step)) {
    below += step
    step *= 2
    if (step > 2 ** 52) throw new RangeError('the model waits for what never comes')
  }
  let above = below + step
  while (above - below > 1) {
    const middle = below + Math.floor((above - below) / 2)
    if (holds(middle)) above = middle
    else below = middle
  }
  return above
}
