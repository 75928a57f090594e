import type { Readings } from '../figures.js'
import { inRounds } from '../rounds.js'
import { startContender, type ContenderProcess, type ProcessOptions } from './contender-process.js'
import type { Reading } from './reading.js'

export interface Entrant extends ProcessOptions {
  readonly name: string
  readonly program: URL
}

export interface Turns {
  readonly rounds: number
  readonly say: (progress: string) => void
  /**
   * The number of measurements of each process before the first round, in which code is compiled and caches are filled.
   *
   * @default 1
   */
  readonly warmUps?: number
  /**
   * Whether each measurement has a new process, without a warm-up.
   *
   * @default false
   */
  readonly isFresh?: boolean
  /**
   * Measures a process in its turn.
   *
   * @default one measurement of everything
   */
  readonly measure?: (process: ContenderProcess, entrant: Entrant) => Promise<Reading>
}

/** Starts a process for each contender, measures them in turns, and stops them. */
export async function inTurns(entrants: readonly Entrant[], turns: Turns): Promise<Readings> {
  const { rounds, say, warmUps = 1, isFresh = false } = turns
  const { measure = async (process) => process.measure('') } = turns
  const start = (entrant: Entrant) => startContender(entrant.program, entrant)
  const kept = new Map(isFresh ? [] : entrants.map((entrant) => [entrant, start(entrant)]))

  async function measured(entrant: Entrant): Promise<Reading> {
    const process = kept.get(entrant) ?? start(entrant)
    try {
      return await measure(process, entrant)
    } finally {
      if (isFresh) await process.stop()
    }
  }

  try {
    for (const entrant of kept.keys()) {
      say(`starting ${entrant.name}`)
      for (let i = 0; i < warmUps; i++) await measured(entrant)
    }
    const found = await inRounds(entrants, rounds, async (entrant, round) => {
      say(`round ${round + 1} of ${rounds}`)
      return measured(entrant)
    })
    return new Map([...found].map(([{ name }, readings]) => [name, readings]))
  } finally {
    await Promise.all(Array.from(kept.values(), async (process) => process.stop()))
  }
}
