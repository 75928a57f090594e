import { sentenceOf, type Conditions } from '../conditions.js'
import { count, ratio, table } from '../markdown.js'
import type { Figures } from './figures.js'
import type { Settings } from './trial.js'

export interface Results {
  readonly conditions: Conditions
  readonly settings: Settings
  /** The bytes of a key with an integer and a time to live: the smallest possible state in Redis. */
  readonly integerBytes: number
  readonly yardsticks: readonly Figures[]
  readonly contenders: readonly Figures[]
}

/** The table of the figures. The results file has all of them with more digits. */
export function tableOf({
  conditions,
  settings,
  integerBytes,
  yardsticks,
  contenders,
}: Results): string {
  const { keys, rounds } = settings
  return [
    `${sentenceOf(conditions)} ${keys} keys, ${rounds} rounds of a decision for each, medians.`,
    '',
    table(
      columns,
      [
        ['`SET key 1 PX`', 'an integer', `${integerBytes}`, '1.00', '', '', '', '', '', ''],
        ...yardsticks.map((figures) => rowOf(figures, figures.name, integerBytes)),
        ...contenders.map((figures) => rowOf(figures, `**${figures.name}**`, integerBytes)),
      ],
      2,
    ),
  ].join('\n')
}

const columns = [
  '',
  'a key holds',
  'bytes',
  '÷ integer',
  'µs',
  '÷ `INCR` + `PEXPIRE`',
  '÷ `TIME`, `GET`, `SET`',
  'commands',
  'bytes in',
  'bytes out',
]

function rowOf(figures: Figures, name: string, integerBytes: number): readonly string[] {
  const { bytesPerKey, commandsSent, commandsWithin } = figures
  return [
    name,
    figures.holds,
    count(bytesPerKey),
    ratio(bytesPerKey / integerBytes),
    figures.redisMicroseconds.median.toFixed(2),
    ratio(figures.comparedWithFloor.redisMicroseconds.median),
    ratio(figures.comparedWithScript.redisMicroseconds.median),
    commandsWithin === 0
      ? count(commandsSent)
      : `${count(commandsSent)} (${count(commandsWithin)})`,
    count(figures.bytesIn),
    count(figures.bytesOut),
  ]
}
