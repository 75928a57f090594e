import type { Redis } from 'ioredis'
import { figuresOf, inTurns, type Entrant } from '../processes/in-turns.js'
import { usageOf } from '../redis-usage.js'
import { ratiosOf, type Spread } from '../rounds.js'
import type { Figure } from './figures.js'
import { floor } from './subject.js'

export interface Traced {
  readonly figure: Figure
  /** For each line, the values at the ticks, as multiples of the floor at the first tick. */
  readonly lines: Readonly<Record<string, readonly Spread[]>>
}

/** Measures all lines of a figure at all ticks, in turns. */
export async function trace(
  figure: Figure,
  admin: Redis,
  rounds: number,
  say: (progress: string) => void,
): Promise<Traced> {
  const { name, lines, ticks, reading } = figure
  const entrants = lines.flatMap((line) => ticks.map((tick) => entrantOf(figure, line, tick)))
  const readings = await inTurns(entrants, {
    rounds,
    say: (progress) => say(`${name}, ${progress}`),
    async measure(process) {
      if (reading !== 'redisMicroseconds') return process.measure('')
      const usage = await usageOf(admin, async () => {
        await process.measure('')
      })
      return { redisMicroseconds: usage.cpuMicroseconds }
    },
  })
  await admin.flushall()
  const at = (line: string, tick: number) => figuresOf(readings, nameOf(line, tick), reading)
  const least = at(floor, ticks[0])
  return {
    figure,
    lines: Object.fromEntries(
      lines.map((line) => [line, ticks.map((tick) => ratiosOf(at(line, tick), least))]),
    ),
  }
}

/** Each limiter has its own name and so its own counts. */
function entrantOf(figure: Figure, line: string, tick: number): Entrant {
  const name = nameOf(line, tick)
  const { args = [], ...entrant } = figure.entrant(line, tick)
  return { name, ...entrant, args: [...args, '--name', name] }
}

function nameOf(line: string, tick: number): string {
  return `${line} at ${tick}`
}
