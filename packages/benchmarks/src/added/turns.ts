import type { Setup } from '../http/contender.js'
import { serve } from '../processes/serve.js'
import { inRounds, spreadOf } from '../rounds.js'

/** A limiter, and how to measure the CPU time of one of so many requests, in microseconds. */
interface Measured {
  readonly name: string
  measure(requests: number): Promise<number>
}

const setup = { limit: 1_000_000, windowMs: 2000 }
const requestsPerTurn = 500

/** Measures limiters in this process, in turns of 500 requests. The work is the number of turns of each limiter. */
export function inTurnsOf(limiters: (setup: Setup) => Promise<readonly Measured[]>): void {
  const made = limiters(setup)
  serve(async (turns) => {
    const found = await inRounds(await made, Number(turns), async (limiter) =>
      limiter.measure(requestsPerTurn),
    )
    // The median, because a turn with a garbage collection takes longer, and has no share in what the limiter of the turn does.
    return Object.fromEntries([...found].map(([{ name }, times]) => [name, spreadOf(times).median]))
  })
}
