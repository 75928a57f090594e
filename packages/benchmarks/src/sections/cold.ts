import { startRedis } from '@sluice/test-kit/servers'
import { express, imports, rows, type ColdImport } from '../cold/imports.js'
import { installed, rows as sizeRows, type Installed } from '../cold/installed.js'
import { counts } from '../cold/timing.js'
import { conditionsOf, sentenceOf } from '../conditions.js'
import { nameOf, spread, table } from '../markdown.js'
import { contenders as memoryContenders } from '../memory/contenders.js'
import { startContender } from '../processes/contender-process.js'
import type { Reading } from '../processes/reading.js'
import { compared, type Comparison } from '../ratios.js'
import { contenders as redisContenders } from '../redis/contenders/index.js'
import { inRounds, ratiosOf, spreadOf, type Spread } from '../rounds.js'
import type { Section } from '../section.js'

const program = new URL('../cold/process.js', import.meta.url)

/** The costs of a new process: the import, and its first decisions. Each measurement has a process of its own. */
export const cold: Section = {
  name: 'cold',
  minutes: 4,
  async run(say, quick) {
    const rounds = quick ? 1 : 15
    const server = await startRedis()
    try {
      const admin = server.client()
      const loaded = await inRounds(imports, rounds, async (one, round) => {
        say(`imports, round ${round + 1} of ${rounds}`)
        return measured(`${imports.indexOf(one)}`)
      })
      const inMemory = await inRounds(memoryContenders, rounds, async ({ name }, round) => {
        say(`first decisions in memory, round ${round + 1} of ${rounds}`)
        return measured('memory', name)
      })
      const overRedis = await inRounds(redisContenders, rounds, async ({ name }, round) => {
        say(`first decisions over Redis, round ${round + 1} of ${rounds}`)
        await admin.flushall()
        return measured('redis', name, `${server.port}`)
      })
      const firstSeconds = await inRounds(
        redisContenders,
        quick ? 1 : 7,
        async ({ name }, round) => {
          say(`first second over Redis, round ${round + 1}`)
          await admin.flushall()
          return measured('first second', name, `${server.port}`)
        },
      )
      const seconds = secondsOf(firstSeconds)
      const conditions = await conditionsOf(admin)
      const groups = [
        {
          of: 'in memory',
          yardstick: 'a bare `Map`',
          first: firstOf(memoryContenders, inMemory),
        },
        { of: 'over Redis', yardstick: '`INCR`', first: firstOf(redisContenders, overRedis) },
      ]
      const times = importsOf(loaded)
      const sizes = await installed()
      return {
        results: {
          conditions,
          rounds,
          imports: times,
          decisions: groups,
          firstSeconds: seconds,
          installed: sizes,
        },
        ratios: [
          ...Object.values(rows).map((row) => comparisonOf(times, row)),
          ...Object.values(sizeRows).map((row) => sizesOf(sizes, row)),
          ...groups.flatMap(({ of, yardstick, first }) =>
            counts.map((count) =>
              compared(
                `time of the first ${named(count)} of a process ${of} ÷ ${yardstick}`,
                'less',
                first.map(({ name, ratios }) => [name, ratios[`${count}`].median]),
              ),
            ),
          ),
          compared(
            'decisions in the first second of a process over Redis, 64 in flight ÷ `INCR`',
            'more',
            seconds.map(({ name, ratio }) => [name, ratio.median]),
          ),
        ],
        table: [
          `${sentenceOf(conditions)} ${rounds} rounds, each in a new process: the median, and the lowest and highest.`,
          '',
          'The time until a limiter exists, in milliseconds, and ÷ the `import` of Express (less is better):',
          '',
          table(
            ['', '', 'ms', '÷ Express'],
            times.map(({ row, name, ms, ratio }) => [row, nameOf(name), spread(ms), spread(ratio)]),
            2,
          ),
          '',
          'The size on the disk, with all dependencies (less is better):',
          '',
          table(
            ['', '', 'MB'],
            sizes.map(({ row, name, megabytes }) => [row, nameOf(name), megabytes.toFixed(2)]),
            2,
          ),
          ...groups.flatMap(({ of, first }) => [
            '',
            `The time of the first decisions of a process ${of}, one at a time, in milliseconds (less is better):`,
            '',
            table(
              ['', ...counts.map((count) => `the first ${count}`)],
              first.map(({ name, ms }) => [
                nameOf(name),
                ...counts.map((count) => spread(ms[`${count}`])),
              ]),
            ),
          ]),
          '',
          'The decisions in the first second of a process over Redis, with 64 in flight (more is better):',
          '',
          table(
            ['', 'thousand decisions', '÷ `INCR`'],
            seconds.map(({ name, decisions, ratio }) => [
              nameOf(name),
              (decisions.median / 1000).toFixed(1),
              spread(ratio),
            ]),
          ),
        ].join('\n'),
      }
    } finally {
      await server.stop()
    }
  },
}

async function measured(...args: string[]): Promise<Reading> {
  const process = startContender(program, { args })
  try {
    return await process.measure('')
  } finally {
    await process.stop()
  }
}

interface ImportTime {
  readonly row: string
  readonly name: string
  readonly ms: Spread
  readonly ratio: Spread
}

function importsOf(found: ReadonlyMap<ColdImport, readonly Reading[]>): readonly ImportTime[] {
  const floor = timesOf(found, express, 'ms')
  return imports.map((one) => {
    const ms = timesOf(found, one, 'ms')
    return { row: one.row, name: one.name, ms: spreadOf(ms), ratio: ratiosOf(ms, floor) }
  })
}

function comparisonOf([yardstick, ...times]: readonly ImportTime[], row: string): Comparison {
  const own = times.filter((time) => time.row === row)
  return compared(
    `${row} ÷ import of Express`,
    'less',
    [yardstick, ...own].map(({ name, ratio }) => [name, ratio.median]),
  )
}

function sizesOf(sizes: readonly Installed[], row: string): Comparison {
  const own = sizes.filter((size) => size.row === row)
  return compared(row, 'less', [
    ['an empty folder', 0],
    ...own.map(({ name, megabytes }) => [name, megabytes] as const),
  ])
}

interface FirstDecisions {
  readonly name: string
  readonly ms: Readonly<Record<string, Spread>>
  /** The multiples of the yardstick, the first contender. */
  readonly ratios: Readonly<Record<string, Spread>>
}

function firstOf<C extends { readonly name: string }>(
  contenders: readonly C[],
  found: ReadonlyMap<C, readonly Reading[]>,
): readonly FirstDecisions[] {
  const [floor] = contenders
  const each = (figureOf: (count: string) => Spread) =>
    Object.fromEntries(counts.map((count) => [`${count}`, figureOf(`${count}`)]))
  return contenders.map((one) => ({
    name: one.name,
    ms: each((count) => spreadOf(timesOf(found, one, count))),
    ratios: each((count) => ratiosOf(timesOf(found, one, count), timesOf(found, floor, count))),
  }))
}

interface FirstSecond {
  readonly name: string
  readonly decisions: Spread
  /** The multiple of the yardstick, the first contender. */
  readonly ratio: Spread
}

function secondsOf<C extends { readonly name: string }>(
  found: ReadonlyMap<C, readonly Reading[]>,
): readonly FirstSecond[] {
  const all = [...found.keys()]
  const floor = timesOf(found, all[0], 'decisions')
  return all.map((one) => {
    const own = timesOf(found, one, 'decisions')
    return { name: one.name, decisions: spreadOf(own), ratio: ratiosOf(own, floor) }
  })
}

function timesOf<C>(
  found: ReadonlyMap<C, readonly Reading[]>,
  one: C,
  figure: string,
): readonly number[] {
  return (found.get(one) ?? []).map((reading) => reading[figure])
}

function named(count: number): string {
  return count === 1 ? 'decision' : `${count.toLocaleString('en')} decisions`
}
