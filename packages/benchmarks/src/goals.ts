import { table } from './markdown.js'
import type { Comparison } from './ratios.js'
import type { Results } from './results.js'

/** Where the figures of a goal are: the rows of all ratios, and the last results of a section. */
interface Source {
  row(work: string): Comparison | undefined
  section(name: string): Results | undefined
}

/** A figure that the library must have. Without results it is undefined or NaN. */
interface Goal {
  readonly row: string
  readonly least?: number
  readonly most?: number
  readonly valueOf: (source: Source) => number | undefined
}

type Bound = Pick<Goal, 'least' | 'most'>

/** The figure itself. */
function ours(row: string, bound: Bound): Goal {
  return { row, ...bound, valueOf: (source) => source.row(row)?.ours }
}

/** The figure as a multiple of the best peer's. */
function toPeer(row: string, bound: Bound): Goal {
  return {
    row: `${row}, Sluice ÷ the best peer`,
    ...bound,
    valueOf({ row: find }) {
      const found = find(row)
      return found === undefined ? undefined : found.ours / found.peer
    },
  }
}

/** The median of a figure in the results of a section. */
function medianOf(
  { section }: Source,
  name: string,
  ...[group, contender, figure]: readonly [group: string, contender: string, figure: string]
): number {
  return section(name)?.groups[group]?.[contender]?.[figure]?.median ?? Number.NaN
}

/** The first decisions, compared with one library. */
function first(where: string, peer: string, most: number): Goal {
  const msOf = (source: Source, name: string) => medianOf(source, 'cold', where, name, '1000')
  return {
    row: `first 1,000 decisions ${where} ÷ ${peer}`,
    most,
    valueOf: (source) => msOf(source, 'Sluice, slidingWindow') / msOf(source, peer),
  }
}

const imported = (what: string, most: number) => toPeer(`${what} ÷ import of Express`, { most })

const added = (framework: string, peer: string, most: number) =>
  ours(`server CPU that a limiter in memory adds to a request, ${framework} ÷ ${peer}`, { most })

const overRedis = (load: string) => `decisions per second over Redis, ${load} ÷ \`INCR\``

const overPostgres = (load: string, least: number) =>
  toPeer(`decisions per second over PostgreSQL, ${load} ÷ a plain statement`, { least })

/** The time of the script of an algorithm in Redis. */
function scriptTime(name: string, most: number): Goal {
  return {
    row: `Redis time of a script, ${name} ÷ \`TIME\`, \`GET\`, \`SET PX\``,
    most,
    valueOf: (source) => medianOf(source, 'algorithms', 'toScript', name, 'microseconds ÷'),
  }
}

/** The CPU time that a limit adds to a request of a framework, and that the option `count` adds to it. */
function addedTo(framework: string, most: number): readonly Goal[] {
  const addedBy = (source: Source, limiter: string) =>
    medianOf(source, 'added', framework, limiter, 'microseconds −')
  return [
    {
      row: `µs that Sluice in memory adds to a request, ${framework}`,
      most,
      valueOf: (source) => addedBy(source, 'Sluice'),
    },
    {
      row: `µs that \`count\` adds to that, ${framework}`,
      most: 10,
      valueOf: (source) => addedBy(source, 'Sluice, count') - addedBy(source, 'Sluice'),
    },
  ]
}

const goals: readonly Goal[] = [
  first('in memory', 'rate-limiter-flexible', 1),
  first('over Redis', 'express-rate-limit, rate-limit-redis', 1.3),
  imported('import and `rateLimit()` for Express', 1),
  imported('the same after Express is loaded', 1.5),
  imported('import and one limiter without a framework', 1),
  toPeer('decisions in the first second of a process over Redis, 64 in flight ÷ `INCR`', {
    least: 1,
  }),
  toPeer('Redis CPU for a decision, one at a time ÷ `INCR`', { most: 1.25 }),
  toPeer(overRedis('one at a time'), { least: 1 }),
  toPeer(overRedis('8 in flight'), { least: 1 }),
  ours('decisions in memory, one key, called ÷ bare `Map`', { least: 0.4 }),
  ours('decisions in memory, one key, called, with a subscriber ÷ bare `Map`', { least: 0.3 }),
  added('Express', 'express-rate-limit', 0.4),
  added('Koa', 'koa-ratelimit', 0.7),
  added('Fastify', '@fastify/rate-limit', 0.6),
  ours('decisions in memory, 100,000 keys, called ÷ bare `Map`', { least: 1.05 }),
  ours(overRedis('64 in flight'), { least: 1.36 }),
  ours(overRedis('512 in flight'), { least: 1.66 }),
  ours('memory per key, a million keys ÷ bare `Map`', { most: 0.62 }),
  ours('memory per key in Redis ÷ an integer', { most: 1.45 }),
  overPostgres('one at a time', 0.8),
  overPostgres('one at a time on one key', 0.8),
  overPostgres('8 in flight', 1.2),
  overPostgres('8 in flight on one key', 1.2),
  overPostgres('64 in flight', 3),
  overPostgres('64 in flight on one key', 8),
  overPostgres('512 in flight', 4),
  overPostgres('512 in flight on one key', 4),
  toPeer('CPU of PostgreSQL for a decision, 64 in flight ÷ a plain statement', { most: 0.25 }),
  {
    row: 'groups that PostgreSQL refuses a single process, of a thousand',
    most: 1,
    valueOf({ section }) {
      const { saved = 0, refused = 0 } = section('databases')?.amounts ?? {}
      return (1000 * refused) / (saved + refused)
    },
  },
  {
    row: 'p99 of four processes on one SQLite file, one at a time, ms',
    most: 50,
    valueOf: (source) =>
      medianOf(source, 'databases', 'shared', 'SQLite, 4 processes, one at a time', 'p99Ms'),
  },
  scriptTime('fixedWindow', 1.6),
  scriptTime('slidingWindow', 1.6),
  scriptTime('gcra', 1.9),
  scriptTime('slidingWindow, three policies', 3),
  ...addedTo('Hono', 25),
  ...addedTo('Hono on Bun', 10),
]

/** The goals beside the last results. */
export function goalsTable(all: readonly Comparison[], section: Source['section']): string {
  const row = (wanted: string) => all.find(({ work }) => work === wanted)
  return table(
    ['', 'goal', 'last run', ''],
    goals.map((goal) => rowOf(goal, goal.valueOf({ row, section }) ?? Number.NaN)),
  )
}

function rowOf({ row, least, most }: Goal, value: number): readonly string[] {
  const goal = least === undefined ? `≤ ${most}` : `≥ ${least}`
  if (Number.isNaN(value)) return [row, goal, '–', 'not measured']
  // A goal is compared with the figure as it is printed.
  const printed = value.toFixed(2)
  const isMet = Number(printed) >= (least ?? -Infinity) && Number(printed) <= (most ?? Infinity)
  return [row, goal, printed, isMet ? 'met' : '**missed**']
}
