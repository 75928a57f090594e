import { nameOf, spread, table } from '../markdown.js'
import { figuresOf, type Readings } from '../processes/in-turns.js'
import { compared, type Comparison } from '../ratios.js'
import { ratiosOf, spreadOf, type Spread } from '../rounds.js'
import type { Variant } from './variants.js'
import { bareMap } from './yardstick.js'

/** One contender in one variant, and the ways in which it can be called. */
export interface Measured {
  readonly name: string
  readonly variant: Variant
  readonly ways: readonly Way[]
}

export type Way = 'called' | 'awaited'

export const ways: readonly Way[] = ['called', 'awaited']

const traffics = ['zipf', 'hot', 'denied', 'insert'] as const
type Traffic = (typeof traffics)[number]

const columns: Record<Traffic, string> = {
  zipf: '100,000 keys',
  hot: 'one key',
  denied: 'one key, denied',
  insert: 'new keys',
}

/** How a measurement is called in the readings. */
export function labelOf({ name, variant }: Pick<Measured, 'name' | 'variant'>): string {
  return variant === 'alone' ? name : `${name}, ${variant}`
}

/** The CPU time of one decision, and how many decisions are made in the time that the bare Map needs for one. */
interface Times {
  readonly nanoseconds: Spread
  readonly speed: Spread
}

function timesOf(readings: Readings, label: string, traffic: string, way: Way): Times {
  const own = figuresOf(readings, label, `${traffic} ${way}`)
  const yardstick = figuresOf(readings, bareMap.name, `${traffic} ${way}`)
  return { nanoseconds: spreadOf(own), speed: ratiosOf(yardstick, own) }
}

/** All times of one measurement: for each traffic and way that it has. */
export function allTimesOf(readings: Readings, measured: Measured): Record<string, Times> {
  const label = labelOf(measured)
  const measuredTraffics =
    measured.variant === 'three policies' ? (['zipf', 'hot'] as const) : traffics
  return Object.fromEntries(
    measuredTraffics.flatMap((traffic) =>
      measured.ways.map((way): [string, Times] => [
        `${traffic} ${way}`,
        timesOf(readings, label, traffic, way),
      ]),
    ),
  )
}

/** The speeds of all contenders that can be called in this way. */
export function speedTable(readings: Readings, measured: readonly Measured[], way: Way): string {
  const rows = measured.filter(
    ({ variant, ways: own }) => variant !== 'three policies' && own.includes(way),
  )
  return table(
    ['', ...traffics.map((traffic) => columns[traffic])],
    rows.map((one) => {
      const label = labelOf(one)
      const cells = traffics.map((traffic) => {
        const { nanoseconds, speed } = timesOf(readings, label, traffic, way)
        if (one.name === bareMap.name) return `1.00 = ${nanoseconds.median.toFixed(0)} ns`
        return traffic === 'insert' ? spread(inverse(speed)) : spread(speed)
      })
      return [nameOf(label)].concat(cells)
    }),
  )
}

/** The time of a decision by three policies in one limiter ÷ that by one policy of the same contender. */
export function threePoliciesTable(readings: Readings, measured: readonly Measured[]): string {
  return table(
    ['', '100,000 keys', 'one key'],
    measured
      .filter(({ variant }) => variant === 'three policies')
      .map((one) => {
        const [way] = one.ways
        const cells = ['zipf', 'hot'].map((traffic) =>
          spread(threeOf(readings, one.name, `${traffic} ${way}`)),
        )
        return [nameOf(one.name)].concat(cells)
      }),
  )
}

/** Ours and the best peer's, for each traffic and way. */
export function ratiosOfMemory(
  readings: Readings,
  measured: readonly Measured[],
): readonly Comparison[] {
  const speeds = ways.flatMap((way) => {
    const alone = measured.filter(
      ({ variant, ways: own }) => variant === 'alone' && own.includes(way),
    )
    return traffics.map((traffic) => {
      const isTime = traffic === 'insert'
      return compared(
        titleOf(traffic, way),
        isTime ? 'less' : 'more',
        alone.map(({ name }) => {
          const { speed } = timesOf(readings, name, traffic, way)
          return [name, (isTime ? inverse(speed) : speed).median]
        }),
      )
    })
  })
  const observed = measured.filter(
    ({ name, variant }) => variant === 'with a subscriber' || (variant === 'alone' && isPeer(name)),
  )
  const three = measured.filter(({ variant }) => variant === 'three policies')
  const threeRatios = three.map(({ name, ways: [way] }): [string, number] => [
    name,
    threeOf(readings, name, `zipf ${way}`).median,
  ])
  return [
    ...speeds,
    // The other libraries publish no events, so they are compared as they are.
    compared(
      'decisions in memory, one key, called, with a subscriber ÷ bare `Map`',
      'more',
      observed
        .filter(({ ways: own }) => own.includes('called'))
        .map((one) => [one.name, timesOf(readings, labelOf(one), 'hot', 'called').speed.median]),
    ),
    compared('time of a decision in memory, three policies ÷ one', 'less', [
      [bareMap.name, 1],
      ...threeRatios,
    ]),
  ]
}

/** Whether it is the yardstick or another library. */
function isPeer(name: string): boolean {
  return !name.startsWith('Sluice')
}

function titleOf(traffic: Traffic, way: Way): string {
  switch (traffic) {
    case 'zipf':
    case 'hot':
      return `decisions in memory, ${columns[traffic]}, ${way} ÷ bare \`Map\``
    case 'denied':
      return `denials in memory, one key, ${way} ÷ bare \`Map\``
    case 'insert':
      return `time of a new key in memory, ${way} ÷ bare \`Map\``
    default:
      return traffic satisfies never
  }
}

function threeOf(readings: Readings, name: string, figure: string): Spread {
  const label = labelOf({ name, variant: 'three policies' })
  return ratiosOf(figuresOf(readings, label, figure), figuresOf(readings, name, figure))
}

function inverse({ median, lowest, highest }: Spread): Spread {
  return { median: 1 / median, lowest: 1 / highest, highest: 1 / lowest }
}
