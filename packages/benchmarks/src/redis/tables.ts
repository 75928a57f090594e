import { count, nameOf, ratio, spread, table } from '../markdown.js'
import { figuresOf, type Readings } from '../processes/in-turns.js'
import { ratiosOf, spreadOf, type Spread } from '../rounds.js'
import { contenders } from './contenders/index.js'
import { ahead, costLoads, hotLoad, labelOf, loads, threePolicies } from './loads.js'
import { incr } from './contenders/yardstick.js'

const figures = [
  'perSecond',
  'p99Microseconds',
  'redisMicroseconds',
  'clientMicroseconds',
  'commands',
  'bytesIn',
  'bytesOut',
] as const
export type Figure = (typeof figures)[number]

interface Cost {
  readonly each: Spread
  /** ÷ that of INCR in the same round. */
  readonly ratio: Spread
}

/** One figure of a decision under a load. */
export function costOf(readings: Readings, label: string, load: string, figure: Figure): Cost {
  const own = figuresOf(readings, label, `${load} ${figure}`)
  const yardstick = figuresOf(readings, incr.name, `${load} ${figure}`)
  return { each: spreadOf(own), ratio: ratiosOf(own, yardstick) }
}

/** All figures of a measurement, for the results file. */
export function costsOf(
  readings: Readings,
  label: string,
): Record<string, Readonly<Record<string, Cost>>> {
  const [first = {}] = readings.get(label) ?? []
  const own = loads.filter(({ name }) => `${name} perSecond` in first)
  return Object.fromEntries(
    own.map(({ name }) => [
      name,
      Object.fromEntries(figures.map((figure) => [figure, costOf(readings, label, name, figure)])),
    ]),
  )
}

/** Decisions per second ÷ those of INCR, under each load. */
export function speedTable(readings: Readings): string {
  return contendersTable(['', ...loads.map(({ name }) => name)], (name) =>
    loads.map((load) => ratioCell(readings, name, load.name, 'perSecond', '/s')),
  )
}

/** The latency that one decision in a hundred exceeds. */
export function latencyTable(readings: Readings): string {
  return contendersTable(['', '1, µs', '1 ÷ `INCR`', '64, µs', '64 ÷ `INCR`'], (name) =>
    ['1', '64'].flatMap((load) => {
      const { each, ratio: times } = costOf(readings, name, load, 'p99Microseconds')
      return [each.median.toFixed(0), name === incr.name ? '1.00' : spread(times)]
    }),
  )
}

/** The CPU time of a decision ÷ that of INCR, of Redis and of the client. */
export function costTable(readings: Readings): string {
  const sides = [
    ['Redis', 'redisMicroseconds'],
    ['client', 'clientMicroseconds'],
  ] as const
  return contendersTable(
    ['', ...sides.flatMap(([side]) => costLoads.map((load) => `${side}, ${load}`))],
    (name) =>
      sides.flatMap(([, figure]) =>
        costLoads.map((load) => ratioCell(readings, name, load, figure, ' µs')),
      ),
  )
}

/** The commands and bytes of a decision, with 512 in flight. */
export function wireTable(readings: Readings): string {
  return contendersTable(['', 'commands', 'bytes in', 'bytes out'], (name) => {
    const medianOf = (figure: Figure) => costOf(readings, name, '512', figure).each.median
    return [
      medianOf('commands').toFixed(3),
      count(medianOf('bytesIn')),
      count(medianOf('bytesOut')),
    ]
  })
}

function contendersTable(
  columns: readonly string[],
  cellsOf: (name: string) => readonly string[],
): string {
  return table(
    columns,
    contenders.map(({ name }) => [nameOf(name), ...cellsOf(name)]),
  )
}

function ratioCell(
  readings: Readings,
  name: string,
  load: string,
  figure: Figure,
  unit: string,
): string {
  const { each, ratio: times } = costOf(readings, name, load, figure)
  if (name !== incr.name) return spread(times)
  const { median } = each
  return `1.00 = ${median < 100 ? ratio(median) : median.toFixed(0)}${unit}`
}

/** Three policies in one limiter ÷ one policy of the same contender. */
export function threePoliciesTable(readings: Readings): string {
  const rows = contenders.filter(({ openThree }) => openThree !== undefined)
  return table(
    [
      '',
      ...costLoads.map((load) => `time, ${load}`),
      ...costLoads.map((load) => `Redis CPU, ${load}`),
    ],
    rows.map(({ name }) => {
      const cellsOf = (figure: 'perSecond' | 'redisMicroseconds') =>
        costLoads.map((load) => spread(threeOf(readings, name, load, figure)))
      return [nameOf(name)].concat(cellsOf('perSecond'), cellsOf('redisMicroseconds'))
    }),
  )
}

/** The figures of a decision for one hot key, without and with `spendAhead`. */
export interface AheadCost {
  readonly name: string
  readonly perSecond: readonly [without: Spread, ahead: Spread]
  readonly times: Spread
  readonly p99Microseconds: readonly [without: Spread, ahead: Spread]
  readonly redisMicroseconds: readonly [without: Spread, ahead: Spread]
  readonly commands: readonly [without: Spread, ahead: Spread]
}

export function aheadCostsOf(readings: Readings): readonly AheadCost[] {
  const rows = contenders.filter(({ openAhead }) => openAhead !== undefined)
  return rows.map(({ name }) => {
    const both = (figure: Figure) =>
      [name, labelOf(name, ahead)].map((label) =>
        figuresOf(readings, label, `${hotLoad.name} ${figure}`),
      )
    const spreads = (figure: Figure) => {
      const [without, withIt] = both(figure)
      return [spreadOf(without), spreadOf(withIt)] as const
    }
    const [without, withIt] = both('perSecond')
    return {
      name,
      perSecond: spreads('perSecond'),
      times: ratiosOf(withIt, without),
      p99Microseconds: spreads('p99Microseconds'),
      redisMicroseconds: spreads('redisMicroseconds'),
      commands: spreads('commands'),
    }
  })
}

export function aheadTable(costs: readonly AheadCost[]): string {
  const rowOf = (label: string, cost: AheadCost, i: 0 | 1): readonly string[] => [
    nameOf(label),
    `${(cost.perSecond[i].median / 1000).toFixed(0)} k`,
    i === 0 ? '1.00' : spread(cost.times),
    count(cost.p99Microseconds[i].median),
    ratio(cost.redisMicroseconds[i].median),
    cost.commands[i].median.toPrecision(1),
  ]
  return table(
    ['', 'decisions per second', '÷ without', 'p99, µs', 'Redis CPU, µs', 'commands'],
    costs.flatMap((cost) => [rowOf(cost.name, cost, 0), rowOf(labelOf(cost.name, ahead), cost, 1)]),
  )
}

/** The time or the Redis CPU of a decision by three policies ÷ that by one. */
export function threeOf(
  readings: Readings,
  name: string,
  load: string,
  figure: 'perSecond' | 'redisMicroseconds',
): Spread {
  const three = figuresOf(readings, labelOf(name, threePolicies), `${load} ${figure}`)
  const one = figuresOf(readings, name, `${load} ${figure}`)
  return figure === 'perSecond' ? ratiosOf(one, three) : ratiosOf(three, one)
}

export interface Memory {
  readonly name: string
  readonly own: number
  readonly integer: number
}

export function memoryTable(memory: readonly Memory[]): string {
  return table(
    ['', 'bytes', 'integer', '÷ integer'],
    memory.map(({ name, own, integer }) => [
      nameOf(name),
      count(own),
      count(integer),
      ratio(own / integer),
    ]),
  )
}
