import { nameOf, ratio, spread, table } from '../markdown.js'
import { figuresOf, type Readings } from '../processes/in-turns.js'
import { compared, type Comparison } from '../ratios.js'
import { ratiosOf, spreadOf } from '../rounds.js'
import { yardstick } from './contender.js'

/** The readings of the servers of one framework, by the name and the store of the contender. */
export interface Found {
  readonly framework: string
  readonly usual: Readings
  readonly attacked: Readings
}

/** The CPU time of a server for one request, with counts in memory. */
export function costTable(found: readonly Found[]): string {
  const rows = found.flatMap(({ framework, usual }) => {
    const floor = figuresOf(usual, `${yardstick}, memory`, 'microseconds')
    return namesOver('memory', usual).map((name) => {
      const own = figuresOf(usual, `${name}, memory`, 'microseconds')
      const median = spreadOf(own).median
      const cell =
        name === yardstick ? `1.00 = ${median.toFixed(1)} µs` : spread(ratiosOf(own, floor))
      return [framework, nameOf(name), cell]
    })
  })
  return table(['', 'counts in memory', 'server CPU per request ÷ by hand'], rows, 2)
}

/** The CPU time that counts in Redis add to a request, and the number of decisions in one command. */
export function redisTable(found: readonly Found[]): string {
  const rows = found.flatMap(({ framework, usual }) =>
    namesOver('redis', usual).map((name) => {
      const inMemory = figuresOf(usual, `${name}, memory`, 'microseconds')
      const overRedis = figuresOf(usual, `${name}, redis`, 'microseconds')
      const added = spreadOf(overRedis.map((own, round) => own - inMemory[round]))
      const commands = spreadOf(figuresOf(usual, `${name}, redis`, 'commandsPerRequest'))
      return [framework, nameOf(name), spread(added), ratio(1 / commands.median)]
    }),
  )
  return table(
    ['', 'counts in Redis', 'server CPU that a request adds, µs', 'decisions per command'],
    rows,
    2,
  )
}

/** The commands that reach Redis for a client far over its limit. */
export function attackTable(found: readonly Found[]): string {
  const rows = found.flatMap(({ framework, attacked }) =>
    namesOver('redis', attacked).map((name) => [
      framework,
      nameOf(name),
      ratio(medianOf(attacked, `${name}, redis`, 'commandsPerSecond')),
      ratio(medianOf(attacked, `${name}, redis`, 'commandsPerRequest')),
    ]),
  )
  return table(['', '', 'commands per second', 'commands per request'], rows, 2)
}

/** Sluice and the peer of each framework. The commands to Redis are similar in all of them, so only the first framework has these rows. */
export function ratiosOfHttp(found: readonly Found[]): readonly Comparison[] {
  const [{ framework, usual, attacked }] = found
  return [
    ...found.map(comparedByCost),
    comparedOverRedis(
      `commands per request over Redis, ${framework}, 64 connections`,
      usual,
      'commandsPerRequest',
    ),
    comparedOverRedis(
      `commands per second while one address attacks, ${framework}`,
      attacked,
      'commandsPerSecond',
    ),
  ]
}

function comparedByCost({ framework, usual }: Found): Comparison {
  const floor = figuresOf(usual, `${yardstick}, memory`, 'microseconds')
  return compared(
    `server CPU per request, ${framework} ÷ headers by hand`,
    'less',
    namesOver('memory', usual).map((name) => {
      const own = figuresOf(usual, `${name}, memory`, 'microseconds')
      return [name, ratiosOf(own, floor).median]
    }),
  )
}

function comparedOverRedis(work: string, readings: Readings, figure: string): Comparison {
  const own = namesOver('redis', readings).map((name): [string, number] => [
    name,
    medianOf(readings, `${name}, redis`, figure),
  ])
  return compared(work, 'less', [[yardstick, 0], ...own])
}

function medianOf(readings: Readings, name: string, figure: string): number {
  return spreadOf(figuresOf(readings, name, figure)).median
}

function namesOver(store: string, readings: Readings): readonly string[] {
  return [...readings.keys()]
    .filter((name) => name.endsWith(`, ${store}`))
    .map((name) => name.slice(0, -`, ${store}`.length))
}
