import { count, nameOf, ratio, spread, table } from '../markdown.js'
import { figuresOf, type Readings } from '../processes/in-turns.js'
import { compared, type Comparison } from '../ratios.js'
import { ratiosOf, spreadOf, type Spread } from '../rounds.js'
import { databaseNames, upsert, type DatabaseKind } from './contender.js'
import { costLoad, loads } from './loads.js'
import type { Measured, SharedFigures } from './measure.js'

type Figure = 'perSecond' | 'clientMicroseconds' | 'serverMicroseconds'

interface Cost {
  readonly each: Spread
  /** ÷ that of the plain statement in the same round. */
  readonly ratio: Spread
}

const figures = {
  postgres: ['perSecond', 'clientMicroseconds', 'serverMicroseconds'],
  sqlite: ['perSecond', 'clientMicroseconds'],
} as const

function costOf(readings: Readings, name: string, load: string, figure: Figure): Cost {
  const own = figuresOf(readings, name, `${load} ${figure}`)
  return {
    each: spreadOf(own),
    ratio: ratiosOf(own, figuresOf(readings, upsert, `${load} ${figure}`)),
  }
}

/** All figures of the contenders, for the results file. */
export function costsOf(database: DatabaseKind, readings: Readings): readonly object[] {
  return [...readings.keys()].map((name) => ({
    name,
    loads: Object.fromEntries(
      loads.map((load) => [
        load.name,
        Object.fromEntries(
          figures[database].map((figure) => [figure, costOf(readings, name, load.name, figure)]),
        ),
      ]),
    ),
  }))
}

/** Decisions per second ÷ those of the plain statement: one table for spread keys, and one for a single key. */
export function speedTable(readings: Readings, isHot: boolean): string {
  const own = loads.filter((load) => load.isHot === isHot)
  return table(
    ['', ...own.map(({ inFlight }) => `${inFlight}`)],
    Array.from(readings.keys(), (name) => [
      nameOf(name),
      ...own.map((load) => cellOf(readings, name, load.name, 'perSecond', '/s')),
    ]),
  )
}

/** The CPU time of a decision ÷ that of the plain statement, of each side. */
export function costTable({ postgres, sqlite }: Measured): string {
  const columns = [
    [postgres, 'serverMicroseconds'],
    [postgres, 'clientMicroseconds'],
    [sqlite, 'clientMicroseconds'],
  ] as const
  const names = new Set([...postgres.keys(), ...sqlite.keys()])
  return table(
    ['', 'server of PostgreSQL', 'client of PostgreSQL', 'process with SQLite'],
    Array.from(names, (name) => [
      nameOf(name),
      ...columns.map(([readings, figure]) =>
        readings.has(name) ? cellOf(readings, name, costLoad, figure, ' µs') : '',
      ),
    ]),
  )
}

function cellOf(
  readings: Readings,
  name: string,
  load: string,
  figure: Figure,
  unit: string,
): string {
  const { each, ratio: times } = costOf(readings, name, load, figure)
  if (name !== upsert) return spread(times)
  return `1.00 = ${each.median < 100 ? ratio(each.median) : each.median.toFixed(0)}${unit}`
}

/** Several processes that decide by one limiter. */
export function sharedTable(shared: readonly SharedFigures[]): string {
  return table(
    ['', 'p50, ms', 'p99, ms', 'not within the timeout'],
    shared.map(({ name, p50Ms, p99Ms, lateShare }) => [
      name,
      count(p50Ms.median),
      count(p99Ms.median),
      `${count(100 * lateShare.median)} %`,
    ]),
  )
}

/** Ours and the peer's, for each row of the comparison. */
export function ratiosOfDatabases({ postgres, sqlite }: Measured): readonly Comparison[] {
  const each = (readings: Readings, load: string, figure: Figure) =>
    Array.from(readings.keys(), (name): [string, number] => [
      name,
      costOf(readings, name, load, figure).ratio.median,
    ])
  const speeds = ([database, readings]: readonly [DatabaseKind, Readings]) =>
    loads.map(({ name }) =>
      compared(
        `decisions per second over ${databaseNames[database]}, ${name} ÷ a plain statement`,
        'more',
        each(readings, name, 'perSecond'),
      ),
    )
  return [
    ...speeds(['postgres', postgres]),
    compared(
      `CPU of PostgreSQL for a decision, ${costLoad} ÷ a plain statement`,
      'less',
      each(postgres, costLoad, 'serverMicroseconds'),
    ),
    ...speeds(['sqlite', sqlite]),
  ]
}
