import {
  createLimiter,
  fixedWindow,
  slidingLog,
  slidingWindow,
  type Policy,
  type Store,
} from '@sluice/core'
import type { Traffic } from './traffic.js'

interface Numbers {
  readonly limit: number
  readonly window: number
}

/** The compared policies, by their names in the table. The log is the exact rule. */
export const rules: Readonly<Record<string, (numbers: Numbers) => Policy>> = {
  '`slidingLog`': slidingLog,
  '`slidingWindow`': slidingWindow,
  "`tail: 'weighted'`": (numbers) => slidingWindow({ ...numbers, tail: 'weighted' }),
  '`fixedWindow`': fixedWindow,
}

/** The decisions of one policy for one traffic. */
export interface Outcome {
  readonly asked: number
  readonly denied: number
  /** How many were denied although the rule had allowed fewer than the limit within the window that ended then. */
  readonly deniedFalsely: number
  /** The most that it allowed within any half-open stretch of time as long as the window. */
  readonly worstWindow: number
}

const start = Date.UTC(2030, 0, 1)

/** The number of requests in flight. A store across a network decides them in few calls, in their order. */
const atOnce = 500

/** Sends the traffic to one rule, at the times that it states. */
export async function replay(
  { limit, windowMs, arrivals }: Traffic,
  build: (numbers: Numbers) => Policy,
  store: Store,
  name: string,
): Promise<Outcome> {
  let now = start
  const policies = build({ limit, window: windowMs })
  const limiter = createLimiter({ name, policies, store, clock: () => now })
  const answers: boolean[] = []
  for (let from = 0; from < arrivals.length; from += atOnce) {
    const asked = arrivals.slice(from, from + atOnce).map(async (at) => {
      now = start + at
      return limiter.consume('client')
    })
    for (const { allowed } of await Promise.all(asked)) answers.push(allowed)
  }
  return judged(arrivals, answers, limit, windowMs)
}

/** Compares a rule's answers with the exact rule, over the requests that it allowed itself. */
function judged(
  arrivals: readonly number[],
  answers: readonly boolean[],
  limit: number,
  windowMs: number,
): Outcome {
  const admitted: number[] = []
  let oldest = 0
  let deniedFalsely = 0
  let worstWindow = 0
  arrivals.forEach((at, i) => {
    while (admitted[oldest] <= at - windowMs) oldest++
    const inside = admitted.length - oldest
    if (answers[i]) {
      admitted.push(at)
      worstWindow = Math.max(worstWindow, inside + 1)
    } else if (inside < limit) {
      deniedFalsely++
    }
  })
  const asked = arrivals.length
  return { asked, denied: asked - admitted.length, deniedFalsely, worstWindow }
}
