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
   * The number of measurements of each contender before the first round, in which code is compiled and caches are filled.
   *
   * @default 1
   */
  readonly warmUps?: number
  /**
   * Measures a process in its turn.
   *
   * @default one measurement of everything
   */
  readonly measure?: (process: ContenderProcess, entrant: Entrant) => Promise<Reading>
}

/** The readings of each contender, by its name, in the order of the rounds. */
export type Readings = ReadonlyMap<string, readonly Reading[]>

/** Starts a process for each contender, measures them in turns, and stops them. */
export async function inTurns(entrants: readonly Entrant[], turns: Turns): Promise<Readings> {
  const { rounds, say, warmUps = 1, measure = async (process) => process.measure('') } = turns
  const started = entrants.map((entrant) => ({
    entrant,
    process: startContender(entrant.program, entrant),
  }))
  try {
    for (const { entrant, process } of started) {
      say(`starting ${entrant.name}`)
      for (let i = 0; i < warmUps; i++) await measure(process, entrant)
    }
    const found = await inRounds(started, rounds, async ({ entrant, process }, round) => {
      say(`round ${round + 1} of ${rounds}`)
      return measure(process, entrant)
    })
    return new Map([...found].map(([{ entrant }, readings]) => [entrant.name, readings]))
  } finally {
    await Promise.all(started.map(async ({ process }) => process.stop()))
  }
}

/** One figure of a contender, in the order of the rounds. */
export function figuresOf(readings: Readings, name: string, figure: string): readonly number[] {
  const own = readings.get(name)
  if (own === undefined) throw new Error(`${name} was not measured`)
  return own.map((reading) => reading[figure])
}
