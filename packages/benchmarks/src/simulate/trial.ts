import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startContender } from '../processes/contender-process.js'
import type { Reading } from '../processes/reading.js'
import { inRounds, spreadOf, type Spread } from '../rounds.js'
import { writeLog, type LogSize } from './access-log.js'

/** The cost of a replay against some variants. */
export interface SimulateFigures {
  readonly variants: number
  readonly perSecond: Spread
  /** The CPU time of each line, with garbage collection and reading the file. */
  readonly cpuMicroseconds: Spread
  readonly peakBytes: Spread
}

const program = new URL('./process.js', import.meta.url)

/** Replays one log against different numbers of variants, each in a process of its own. */
export async function replayInTurns(
  size: LogSize,
  variants: readonly number[],
  rounds: number,
): Promise<readonly SimulateFigures[]> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-'))
  const log = join(folder, 'access.log')
  try {
    await writeLog(log, size)
    const found = await inRounds(variants, rounds, (count) => replayed(log, count))
    return [...found].map(([count, readings]) => {
      const of = (name: string): Spread => spreadOf(readings.map((reading) => reading[name]))
      return {
        variants: count,
        perSecond: of('perSecond'),
        cpuMicroseconds: of('cpuMicroseconds'),
        peakBytes: of('peakBytes'),
      }
    })
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function replayed(log: string, variants: number): Promise<Reading> {
  const process = startContender(program, { args: [log] })
  try {
    return await process.measure(`${variants}`)
  } finally {
    await process.stop()
  }
}
