import { conditionsOf, sentenceOf, type Conditions } from '../conditions.js'
import { spread, table } from '../markdown.js'
import type { Section } from '../section.js'
import type { LogSize } from '../simulate/access-log.js'
import { replayInTurns, type SimulateFigures } from '../simulate/trial.js'

interface Scale {
  readonly usual: LogSize
  readonly manyKeys: LogSize
  readonly rounds: number
}

const long: Scale = {
  usual: { lines: 2_000_000, keys: 200_000, linesPerSecond: 100 },
  manyKeys: { lines: 3_000_000, keys: 3_000_000, linesPerSecond: 100 },
  rounds: 5,
}
const brief: Scale = {
  usual: { lines: 50_000, keys: 5000, linesPerSecond: 100 },
  manyKeys: { lines: 50_000, keys: 50_000, linesPerSecond: 100 },
  rounds: 1,
}

/** The cost of replaying an access log. */
export const simulate: Section = {
  name: 'simulate',
  page: 'README.md',
  minutes: 3,
  async run(say, quick) {
    const conditions = await conditionsOf()
    const { usual, manyKeys, rounds } = quick ? brief : long
    say('variants')
    const variants = await replayInTurns(usual, [1, 2, 4], rounds)
    say('many keys')
    const keys = await replayInTurns(manyKeys, [1], rounds)
    return {
      results: { conditions, variants, keys },
      table: tableOf(conditions, [
        ...variants.map((figures) => [usual, figures] as const),
        ...keys.map((figures) => [manyKeys, figures] as const),
      ]),
    }
  },
}

function tableOf(
  conditions: Conditions,
  all: readonly (readonly [LogSize, SimulateFigures])[],
): string {
  const rows = all.map(([{ lines, keys }, { variants, perSecond, cpuMicroseconds, peakBytes }]) => [
    lines.toLocaleString('en'),
    keys.toLocaleString('en'),
    `${variants}`,
    Math.round(perSecond.median / 1000).toLocaleString('en'),
    spread(cpuMicroseconds),
    Math.round(peakBytes.median / 1e6).toLocaleString('en'),
  ])
  const columns = [
    'lines',
    'addresses, at most',
    'variants',
    'thousand lines a second',
    'processor time of a line, µs',
    'memory, MB',
  ]
  return `${table(columns, rows, 0)}\n\n${sentenceOf(conditions)}`
}
