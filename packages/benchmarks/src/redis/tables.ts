import { count, nameOf, ratio, spread, table } from '../markdown.js'
import { figuresOf, type Readings } from '../processes/in-turns.js'
import { compared, type Comparison } from '../ratios.js'
import { ratiosOf, spreadOf, type Spread } from '../rounds.js'
import { contenders } from './contenders.js'
import { incr } from './yardstick.js'

/** Kinds of traffic: 512 in flight on many keys, 512 in flight on one, one at a time. */
export const kinds = ['spread', 'hot', 'alone'] as const
export type Kind = (typeof kinds)[number]

const figures = [
  'perSecond',
  'redisMicroseconds',
  'clientMicroseconds',
  'commands',
  'bytesIn',
  'bytesOut',
]

interface Cost {
  readonly each: Spread
  /** As a multiple of what INCR takes. */
  readonly ratio: Spread
}

/** What a decision of one kind was found to cost, by the figure. */
export function costsOf(readings: Readings, name: string, kind: Kind): Record<string, Cost> {
  return Object.fromEntries(
    figures.map((figure) => {
      const own = figuresOf(readings, name, `${kind} ${figure}`)
      const least = figuresOf(readings, incr.name, `${kind} ${figure}`)
      return [figure, { each: spreadOf(own), ratio: ratiosOf(own, least) }]
    }),
  )
}

/** Decisions per second, as multiples of what INCR reaches. */
export function speedTable(readings: Readings): string {
  const cellOf = (name: string, kind: Kind) => {
    const { each, ratio } = costsOf(readings, name, kind)['perSecond']
    return name === incr.name ? `1.00 = ${each.median.toFixed(0)}/s` : spread(ratio)
  }
  return table(
    ['', '512 in flight, spread', '512 in flight, one key', 'one at a time'],
    contenders.map(({ name }) => [nameOf(name)].concat(kinds.map((kind) => cellOf(name, kind)))),
  )
}

export function costTable(readings: Readings): string {
  return table(
    ['', 'Redis CPU ÷ `INCR`', 'client CPU ÷ `INCR`', 'commands', 'bytes in', 'bytes out'],
    contenders.map(({ name }) => {
      const found = costsOf(readings, name, 'spread')
      const cellOf = ({ each, ratio: times }: Cost) =>
        name === incr.name ? `1.00 = ${ratio(each.median)} µs` : spread(times)
      return [
        nameOf(name),
        cellOf(found['redisMicroseconds']),
        cellOf(found['clientMicroseconds']),
        found['commands'].each.median.toFixed(3),
        count(found['bytesIn'].each.median),
        count(found['bytesOut'].each.median),
      ]
    }),
  )
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

export function ratiosOfRedis(
  readings: Readings,
  memory: readonly Memory[],
): readonly Comparison[] {
  const each = (kind: Kind, figure: string) =>
    contenders.map(({ name }): [string, number] => [
      name,
      costsOf(readings, name, kind)[figure].ratio.median,
    ])
  return [
    compared(
      'decisions per second over Redis, 512 in flight ÷ `INCR`',
      'more',
      each('spread', 'perSecond'),
    ),
    compared(
      'decisions per second over Redis, 512 in flight on one key ÷ `INCR`',
      'more',
      each('hot', 'perSecond'),
    ),
    compared(
      'decisions per second over Redis, one at a time ÷ `INCR`',
      'more',
      each('alone', 'perSecond'),
    ),
    compared(
      'Redis CPU for a decision of 512 in flight ÷ `INCR`',
      'less',
      each('spread', 'redisMicroseconds'),
    ),
    compared(
      'client CPU for a decision of 512 in flight ÷ `INCR`',
      'less',
      each('spread', 'clientMicroseconds'),
    ),
    compared(
      'memory per key in Redis ÷ an integer',
      'less',
      memory.map(({ name, own, integer }) => [name, own / integer]),
    ),
  ]
}
