import { nameOf, ratio, table } from '../markdown.js'
import { fieldOf } from '../ratios.js'
import { costLoads } from './loads.js'

/** The CPU time of Redis for a decision ÷ `INCR`, by the number of decisions in flight, from the results of the section. */
export function redisLoadTable(results: unknown): string | undefined {
  const contenders = fieldOf(results, 'contenders')
  if (!Array.isArray(contenders)) return undefined
  const own = contenders.filter((one) => /^Sluice, \w+$/.test(String(fieldOf(one, 'name'))))
  return table(
    ['decisions in flight', ...own.map((one) => nameOf(String(fieldOf(one, 'name'))))],
    costLoads.map((load) => rowOf(load, own)),
  )
}

function rowOf(load: string, contenders: readonly unknown[]): readonly string[] {
  return [load, ...contenders.map((one) => ratio(medianOf(one, load)))]
}

function medianOf(contender: unknown, load: string): number {
  const path = ['loads', load, 'redisMicroseconds', 'ratio', 'median']
  return Number(path.reduce(fieldOf, contender))
}
