import { conditionsOf, sentenceOf } from '../conditions.js'
import { nameOf, spread, table } from '../markdown.js'
import { contenders } from '../memory/contenders.js'
import { bareMap } from '../memory/yardstick.js'
import { compared } from '../ratios.js'
import { figuresOf, inTurns, type Readings } from '../processes/in-turns.js'
import { ratiosOf, spreadOf, type Spread } from '../rounds.js'
import type { Section } from '../section.js'

const program = new URL('../memory/process.js', import.meta.url)
const works = ['zipf', 'hot', 'denied'] as const
const titles = {
  zipf: 'decisions in memory, 100,000 keys ÷ bare `Map`',
  hot: 'decisions in memory, one key ÷ bare `Map`',
  denied: 'denials in memory, one key ÷ bare `Map`',
}

/** What a decision takes that needs no network, beside the least that counting can take. */
export const memory: Section = {
  name: 'memory',
  page: 'README.md',
  async run(say, quick) {
    const rounds = quick ? 3 : 15
    const node = ['--expose-gc']
    const entrants = contenders.map(({ name }) => ({ name, program, args: [name], node }))
    const readings = await inTurns(entrants, { rounds, say })
    const rows = entrants.map(({ name }) => ({
      name,
      works: Object.fromEntries(works.map((work) => [work, timesOf(readings, name, work)])),
    }))
    const conditions = await conditionsOf()
    return {
      results: { conditions, rounds, contenders: rows },
      ratios: works.map((work) =>
        compared(
          titles[work],
          'more',
          rows.map(({ name, works: found }) => [name, found[work].speed.median]),
        ),
      ),
      table: [
        `${sentenceOf(conditions)} ${rounds} rounds: the median, and the lowest and highest.`,
        '',
        table(
          ['', '100,000 keys', 'one key', 'one key, denied'],
          rows.map(({ name, works: found }) =>
            [nameOf(name)].concat(works.map((work) => cellOf(name, found[work]))),
          ),
        ),
      ].join('\n'),
    }
  },
}

interface Times {
  readonly nanoseconds: Spread
  /** How many decisions in the time that one of the bare Map takes. */
  readonly speed: Spread
}

function timesOf(readings: Readings, name: string, work: string): Times {
  const own = figuresOf(readings, name, work)
  const least = figuresOf(readings, bareMap.name, work)
  return { nanoseconds: spreadOf(own), speed: ratiosOf(least, own) }
}

function cellOf(name: string, { nanoseconds, speed }: Times): string {
  if (name === bareMap.name) return `1.00 = ${nanoseconds.median.toFixed(0)} ns`
  return spread(speed)
}
