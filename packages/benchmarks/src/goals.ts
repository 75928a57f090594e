import { fieldOf, type Comparison } from './ratios.js'
import { table } from './markdown.js'

/** A figure that the library must have. */
interface Goal {
  readonly row: string
  /** The figure itself, or as a multiple of the best peer's. */
  readonly of: 'ours' | 'ours ÷ peer'
  readonly least?: number
  readonly most?: number
}

const added = (framework: string, peer: string) =>
  `server CPU that a limiter in memory adds to a request, ${framework} ÷ ${peer}`
const flights = (load: string) => `decisions per second over Redis, ${load} ÷ \`INCR\``

const overPostgres = (load: string, least: number): Goal => ({
  row: `decisions per second over PostgreSQL, ${load} ÷ a plain statement`,
  of: 'ours ÷ peer',
  least,
})

const imported = (what: string, most: number): Goal => ({
  row: `${what} ÷ import of Express`,
  of: 'ours ÷ peer',
  most,
})

const goals: readonly Goal[] = [
  imported('import and `rateLimit()` for Express', 1),
  imported('the same after Express is loaded', 1.5),
  imported('import and one limiter without a framework', 1),
  {
    row: 'decisions in the first second of a process over Redis, 64 in flight ÷ `INCR`',
    of: 'ours ÷ peer',
    least: 1,
  },
  { row: 'Redis CPU for a decision, one at a time ÷ `INCR`', of: 'ours ÷ peer', most: 1.25 },
  { row: flights('one at a time'), of: 'ours ÷ peer', least: 1 },
  { row: flights('8 in flight'), of: 'ours ÷ peer', least: 1 },
  { row: 'decisions in memory, one key, called ÷ bare `Map`', of: 'ours', least: 0.4 },
  {
    row: 'decisions in memory, one key, called, with a subscriber ÷ bare `Map`',
    of: 'ours',
    least: 0.3,
  },
  { row: added('Express', 'express-rate-limit'), of: 'ours', most: 0.4 },
  { row: added('Koa', 'koa-ratelimit'), of: 'ours', most: 0.7 },
  { row: added('Fastify', '@fastify/rate-limit'), of: 'ours', most: 0.6 },
  { row: 'decisions in memory, 100,000 keys, called ÷ bare `Map`', of: 'ours', least: 1.05 },
  { row: flights('64 in flight'), of: 'ours', least: 1.36 },
  { row: flights('512 in flight'), of: 'ours', least: 1.66 },
  { row: 'memory per key, a million keys ÷ bare `Map`', of: 'ours', most: 0.62 },
  { row: 'memory per key in Redis ÷ an integer', of: 'ours', most: 1.45 },
  overPostgres('one at a time', 0.8),
  overPostgres('one at a time on one key', 0.8),
  overPostgres('8 in flight', 1.2),
  overPostgres('8 in flight on one key', 1.2),
  overPostgres('64 in flight', 3),
  overPostgres('64 in flight on one key', 8),
  overPostgres('512 in flight', 4),
  overPostgres('512 in flight on one key', 4),
  {
    row: 'CPU of PostgreSQL for a decision, 64 in flight ÷ a plain statement',
    of: 'ours ÷ peer',
    most: 0.25,
  },
]

/** The last results of the sections whose figures no peer has. */
export interface OwnResults {
  readonly added: unknown
  readonly cold: unknown
  readonly databases: unknown
  readonly algorithms: unknown
}

/** Figures that no peer has. */
const alone: readonly {
  readonly row: string
  readonly most: number
  readonly valueOf: (results: OwnResults) => number
}[] = [
  {
    row: 'groups that PostgreSQL refuses a single process, of a thousand',
    most: 1,
    valueOf: ({ databases }) => 1000 * Number(fieldOf(databases, 'refusedShare') ?? Number.NaN),
  },
  {
    row: 'p99 of four processes on one SQLite file, one at a time, ms',
    most: 50,
    valueOf: ({ databases }) =>
      Number(['shared', '0', 'p99Ms', 'median'].reduce(fieldOf, databases)),
  },
  scriptTime('fixedWindow', 1.6),
  scriptTime('slidingWindow', 1.6),
  scriptTime('gcra', 1.9),
  scriptTime('slidingWindow, three policies', 3),
  ...addedTo('Hono', 25),
  ...addedTo('Hono on Bun', 10),
]

/** The time of the script of an algorithm in Redis. */
function scriptTime(name: string, most: number): (typeof alone)[number] {
  return {
    row: `Redis time of a script, ${name} ÷ \`TIME\`, \`GET\`, \`SET PX\``,
    most,
    valueOf: ({ algorithms }) => {
      const path = ['comparedWithScript', 'redisMicroseconds', 'median']
      return Number(path.reduce(fieldOf, namedIn(algorithms, 'contenders', 'name', name)))
    },
  }
}

/** The CPU time that a limit adds to a request of a framework, and that the option `count` adds to it. */
function addedTo(framework: string, most: number): typeof alone {
  const addedBy = (added: unknown, limiter: string) => {
    const row = namedIn(
      namedIn(added, 'frameworks', 'framework', framework),
      'rows',
      'name',
      limiter,
    )
    return Number(['added', 'median'].reduce(fieldOf, row))
  }
  return [
    {
      row: `µs that Sluice in memory adds to a request, ${framework}`,
      most,
      valueOf: ({ added }: OwnResults) => addedBy(added, 'Sluice'),
    },
    {
      row: `µs that \`count\` adds to that, ${framework}`,
      most: 10,
      valueOf: ({ added }: OwnResults) =>
        addedBy(added, 'Sluice, count') - addedBy(added, 'Sluice'),
    },
  ]
}

/** The first decisions, each compared with one library. */
const first = [
  { group: 0, where: 'in memory', peer: 'rate-limiter-flexible', most: 1 },
  { group: 1, where: 'over Redis', peer: 'express-rate-limit, rate-limit-redis', most: 1.3 },
]

/** The goals beside the last results. */
export function goalsTable(all: readonly Comparison[], results: OwnResults): string {
  return table(
    ['', 'goal', 'last run', ''],
    [
      ...first.map(({ group, where, peer, most }) => {
        const msOf = (name: string) => firstMsOf(results.cold, group, name)
        const value = msOf('Sluice, slidingWindow') / msOf(peer)
        return rowOf(`first 1,000 decisions ${where} ÷ ${peer}`, value, { most })
      }),
      ...goals.map((goal) => {
        const found = all.find(({ work }) => work === goal.row)
        const { ours, peer } = found ?? { ours: Number.NaN, peer: 1 }
        const isToPeer = goal.of === 'ours ÷ peer'
        const name = isToPeer ? `${goal.row}, Sluice ÷ the best peer` : goal.row
        return rowOf(name, isToPeer ? ours / peer : ours, goal)
      }),
      ...alone.map(({ row, valueOf, most }) => rowOf(row, valueOf(results), { most })),
    ],
  )
}

function rowOf(name: string, value: number, { least, most }: Pick<Goal, 'least' | 'most'>) {
  const goal = least === undefined ? `≤ ${most}` : `≥ ${least}`
  if (Number.isNaN(value)) return [name, goal, '–', 'not measured']
  // A goal is compared with the figure as it is printed.
  const printed = value.toFixed(2)
  const isMet = Number(printed) >= (least ?? -Infinity) && Number(printed) <= (most ?? Infinity)
  return [name, goal, printed, isMet ? 'met' : '**missed**']
}

function firstMsOf(cold: unknown, group: number, name: string): number {
  const decisions = ['decisions', `${group}`].reduce(fieldOf, cold)
  const one = namedIn(decisions, 'first', 'name', name)
  return Number(['ms', '1000', 'median'].reduce(fieldOf, one))
}

/** The member of a list that has this value under a name. */
function namedIn(value: unknown, list: string, name: string, wanted: string): unknown {
  const members = fieldOf(value, list)
  if (!Array.isArray(members)) return undefined
  const found: unknown = members.find((each) => fieldOf(each, name) === wanted)
  return found
}
