import { startRedis } from '@sluice/test-kit/servers'
import { express, imports, rows } from '../cold/imports.js'
import { installed, rows as sizeRows } from '../cold/installed.js'
import { counts } from '../cold/timing.js'
import { conditionsOf, sentenceOf } from '../conditions.js'
import { groupOf, groupToFirst, mediansOf, type Group, type Groups } from '../figures.js'
import { groupsTable, groupTable, medianCell, spreadCell, type Column } from '../markdown.js'
import { contenders as memoryContenders } from '../memory/contenders.js'
import { inTurns, type Entrant } from '../processes/in-turns.js'
import { compared } from '../ratios.js'
import { contenders as redisContenders } from '../redis/contenders/index.js'
import type { Section } from '../section.js'

const program = new URL('../cold/process.js', import.meta.url)

/** The costs of a new process: the import, and its first decisions. Each measurement has a process of its own. */
export const cold: Section = {
  name: 'cold',
  minutes: 4,
  async measure(say, quick) {
    const rounds = quick ? 1 : 15
    const server = await startRedis()
    try {
      const admin = server.client()
      const port = `${server.port}`
      const turns = async (work: string, rounds: number, entrants: readonly Entrant[]) =>
        inTurns(entrants, {
          rounds,
          isFresh: true,
          say: (progress) => say(`${work}, ${progress}`),
          async measure(process) {
            await admin.flushall()
            return process.measure('')
          },
        })
      const loaded = await turns(
        'imports',
        rounds,
        imports.map((_, i) => ({ name: `${i}`, program, args: [`${i}`] })),
      )
      const inMemory = await turns(
        'first decisions in memory',
        rounds,
        memoryContenders.map(({ name }) => ({ name, program, args: ['memory', name] })),
      )
      const overRedis = async (work: string, title: string, rounds: number) =>
        turns(
          title,
          rounds,
          redisContenders.map(({ name }) => ({ name, program, args: [work, name, port] })),
        )
      const first = await overRedis('redis', 'first decisions over Redis', rounds)
      const second = await overRedis('first second', 'first second over Redis', quick ? 1 : 7)
      const timesOf = (row: string) => {
        const own = [...imports.entries()].filter(([, one]) => one.row === row)
        const times = own.map(([i, { name }]) => [name, loaded.get(`${i}`) ?? []] as const)
        return groupOf(new Map(times), () => loaded.get('0'))
      }
      return {
        conditions: await conditionsOf(admin),
        amounts: { rounds },
        groups: {
          ...Object.fromEntries(importRows.map((row) => [row, timesOf(row)])),
          ...(await installed()),
          'in memory': groupToFirst(inMemory),
          'over Redis': groupToFirst(first),
          'first second': groupToFirst(second),
        },
      }
    } finally {
      await server.stop()
    }
  },
  page({ conditions, amounts: { rounds }, groups }) {
    return [
      `${sentenceOf(conditions)} ${rounds} rounds, each in a new process: the median, and the lowest and highest.`,
      'The time until a limiter exists, in milliseconds, and ÷ the `import` of Express (less is better):',
      groupsTable(
        [
          ['ms', spreadCell('ms')],
          ['÷ Express', spreadCell('ms ÷')],
        ],
        picked(groups, importRows),
      ),
      'The size on the disk, with all dependencies (less is better):',
      groupsTable(
        [['MB', medianCell('megabytes', (size) => size.toFixed(2))]],
        picked(groups, Object.values(sizeRows)),
      ),
      ...firsts.flatMap(({ of }) => [
        `The time of the first decisions of a process ${of}, one at a time, in milliseconds (less is better):`,
        groupTable(firstColumns, groups[of]),
      ]),
      'The decisions in the first second of a process over Redis, with 64 in flight (more is better):',
      groupTable(
        [
          ['thousand decisions', medianCell('decisions', (all) => (all / 1000).toFixed(1))],
          ['÷ `INCR`', spreadCell('decisions ÷')],
        ],
        groups['first second'],
      ),
    ]
  },
  ratios: ({ groups }) => [
    ...Object.values(rows).map((row) =>
      compared(`${row} ÷ import of Express`, 'less', [
        [express.name, 1],
        ...mediansOf(groups[row], 'ms ÷'),
      ]),
    ),
    ...Object.values(sizeRows).map((row) =>
      compared(row, 'less', [['an empty folder', 0], ...mediansOf(groups[row], 'megabytes')]),
    ),
    ...firsts.flatMap(({ of, yardstick }) =>
      counts.map((count) =>
        compared(
          `time of the first ${named(count)} of a process ${of} ÷ ${yardstick}`,
          'less',
          mediansOf(groups[of], `${count} ÷`),
        ),
      ),
    ),
    compared(
      'decisions in the first second of a process over Redis, 64 in flight ÷ `INCR`',
      'more',
      mediansOf(groups['first second'], 'decisions ÷'),
    ),
  ],
}

/** The yardstick, and the rows in which it is loaded or not. */
const importRows = [express.row, ...Object.values(rows)]

const firsts = [
  { of: 'in memory', yardstick: 'a bare `Map`' },
  { of: 'over Redis', yardstick: '`INCR`' },
]

const firstColumns: readonly Column[] = counts.map((count) => [
  `the first ${count}`,
  spreadCell(`${count}`),
])

function picked(groups: Groups, names: readonly string[]): Groups {
  return Object.fromEntries(names.map((name): [string, Group] => [name, groups[name]]))
}

function named(count: number): string {
  return count === 1 ? 'decision' : `${count.toLocaleString('en')} decisions`
}
