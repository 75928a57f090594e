import type { Readings } from '../processes/in-turns.js'
import { compared, type Comparison } from '../ratios.js'
import { contenders } from './contenders/index.js'
import { costLoads, loads } from './loads.js'
import { costOf, threeOf, type Figure, type Memory } from './tables.js'
import { incr } from './contenders/yardstick.js'

/** Ours and the best peer's, for each row of the comparison. */
export function ratiosOfRedis(
  readings: Readings,
  memory: readonly Memory[],
): readonly Comparison[] {
  const each = (load: string, figure: Figure) =>
    contenders.map(({ name }): [string, number] => [
      name,
      costOf(readings, name, load, figure).ratio.median,
    ])
  const three = contenders.filter(({ openThree }) => openThree !== undefined)
  return [
    ...loads.map(({ name }) =>
      compared(
        `decisions per second over Redis, ${inFlightOf(name)} ÷ \`INCR\``,
        'more',
        each(name, 'perSecond'),
      ),
    ),
    compared(
      'p99 latency over Redis, 64 in flight ÷ `INCR`',
      'less',
      each('64', 'p99Microseconds'),
    ),
    ...costLoads.map((load) =>
      compared(
        `Redis CPU for a decision, ${inFlightOf(load)} ÷ \`INCR\``,
        'less',
        each(load, 'redisMicroseconds'),
      ),
    ),
    ...costLoads.map((load) =>
      compared(
        `client CPU for a decision, ${inFlightOf(load)} ÷ \`INCR\``,
        'less',
        each(load, 'clientMicroseconds'),
      ),
    ),
    compared('Redis CPU for a decision, 64 in flight, three policies ÷ one', 'less', [
      [incr.name, 1],
      ...three.map(({ name }): [string, number] => [
        name,
        threeOf(readings, name, '64', 'redisMicroseconds').median,
      ]),
    ]),
    compared(
      'memory per key in Redis ÷ an integer',
      'less',
      memory.map(({ name, own, integer }) => [name, own / integer]),
    ),
  ]
}

function inFlightOf(load: string): string {
  if (load === '1') return 'one at a time'
  const [inFlight, ofOneKey] = load.split(', ')
  return ofOneKey === undefined ? `${inFlight} in flight` : `${inFlight} in flight on one key`
}
