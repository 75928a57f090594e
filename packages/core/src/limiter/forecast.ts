import { hasLeases } from '../algorithms/kind.js'
import { windowSteps } from '../algorithms/window.js'
import type { Algorithm, Row } from '../algorithms/algorithm.js'
import { overrideAllows } from '../stores/override.js'
import { costAt, type Cost } from '../stores/store.js'
import type { Decision } from './decision.js'
import { counts } from './limiter-policies.js'
import { receiptOf } from './receipt.js'

/** The state of one policy after the calls of a queue. */
interface Part {
  readonly name: string
  /** Its index among the policies of a call. */
  readonly index: number
  readonly steps: Pick<Algorithm, 'look' | 'take' | 'read'>
  readonly params: object
  /** The time of its state, by the store. */
  readonly now: number
  row: Row
}

/** The earliest end of a call's wait, as far as it is known. */
export interface Expectation {
  /** By `performance.now()`. Infinity if the call can never be allowed. */
  readonly allowedAt: number
  /** The policies that deny it when the call before it has been allowed. */
  readonly deniedBy: readonly string[]
}

/**
 * When the calls of a queue can be allowed at the earliest: one after the other, and if nothing else happens. It takes their units from a copy of the state that
 * denied the first one. Leases and new blocks are not part of it.
 */
export class Forecast {
  readonly #parts: readonly Part[]
  readonly #madeAt = performance.now()
  /** The wait of the last call. */
  #waitMs: number

  /** @param firmMs the firm wait of the first call */
  constructor(denial: Decision, firmMs: number) {
    this.#waitMs = firmMs
    this.#parts = partsOf(denial)
  }

  /** Foresees the next call. If it is too late, it takes no units. */
  take(cost: Cost, deadline: number): Expectation {
    const parts = this.#parts.map((part) => ({ ...part, row: [...part.row] }))
    let waitMs = this.#waitMs
    const denying = parts.filter((part) => moreWait(part, waitMs, cost) > 0)
    const deniedBy = denying.map(({ name }) => name)
    for (let more = 1; more > 0 && waitMs < Infinity; waitMs += more) {
      more = Math.max(0, ...parts.map((part) => moreWait(part, waitMs, cost)))
    }
    const delays = parts.map(({ steps, params, row, now, index }) => {
      return steps.read(row, params, now + waitMs, costAt(cost, index), false).delay
    })
    const allowedAt = this.#madeAt + waitMs + Math.max(0, ...delays)
    if (allowedAt > deadline) return { allowedAt, deniedBy }
    this.#waitMs = waitMs
    parts.forEach(({ steps, params, row, now, index }, i) => {
      steps.take(row, params, now + waitMs, costAt(cost, index))
      this.#parts[i].row = row
    })
    return { allowedAt, deniedBy }
  }
}

function partsOf(denial: Decision): readonly Part[] {
  const receipt = receiptOf(denial)
  if (receipt === undefined) return []
  const { states } = receipt.result
  return receipt.request.policies.flatMap((policy, index): readonly Part[] => {
    const { name, steps, params, quota } = policy
    const { row, now } = states[index]
    if (!counts(policy) || overrideAllows(states[index], 1) || hasLeases(policy)) return []
    if (steps.records === undefined) return [{ name, index, steps, params, now, row }]
    const bound = { limit: quota, window: steps.windowMs(params) }
    return [{ name, index, steps: logBound, params: bound, now, row: [0, 0] }]
  })
}

/** All that is known of a log, whose records only the store has: from the first call on, at most `limit` units in each window. */
const logBound = windowSteps<{ readonly limit: number; readonly window: number }>(
  (time, { window }) => time + window,
)

/** How much longer than a wait this policy makes a call wait. */
function moreWait({ steps, params, row, now, index }: Part, waitMs: number, cost: Cost): number {
  const units = costAt(cost, index)
  if (steps.look(row, params, now + waitMs, units)) return 0
  return steps.read(row, params, now + waitMs, units, false).wait
}
