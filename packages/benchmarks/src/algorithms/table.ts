import { sentenceOf, type Conditions } from '../conditions.js'
import { count, ratio, table } from '../markdown.js'
import type { Comparison, Figures, Group } from './figures.js'
import type { Settings } from './trial.js'

export interface Results {
  readonly conditions: Conditions
  readonly settings: Settings
  /** The bytes of a key with an integer and a time to live: the smallest possible state in Redis. */
  readonly integerBytes: number
  readonly floor: Figures
  readonly groups: readonly Group[]
}

/** The table of the figures. The results file has all of them with more digits. */
export function tableOf({ conditions, settings, integerBytes, floor, groups }: Results): string {
  const { keys, rounds } = settings
  const rows = groups.flatMap(({ textbook, ours }) => [
    ...(textbook === undefined ? [] : [rowOf(textbook, `_${textbook.name}_`, integerBytes)]),
    ...ours.map((figures) => rowOf(figures, `**${figures.name}**`, integerBytes)),
  ])
  return [
    `${sentenceOf(conditions)} ${keys} keys, ${rounds} rounds of a decision for each, medians.`,
    '',
    table(
      columns,
      [
        ['`SET key 1 PX`', 'an integer', `${integerBytes}`, one, '', '', '', '', '', '', '', ''],
        rowOf(floor, floor.name, integerBytes),
        ...rows,
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
  '÷ textbook',
  'µs',
  '÷ `INCR` + `PEXPIRE`',
  '÷ `TIME`, `GET`, `SET`',
  '÷ textbook',
  'commands',
  'bytes in',
  'bytes out',
]

const one = '1.00'

function rowOf(figures: Figures, name: string, integerBytes: number): readonly string[] {
  const { bytesPerKey, commandsSent, commandsWithin, comparedWithTextbook: textbook } = figures
  return [
    name,
    figures.holds,
    count(bytesPerKey),
    ratio(bytesPerKey / integerBytes),
    ratioTo(textbook, ({ bytesPerKey }) => bytesPerKey),
    figures.redisMicroseconds.median.toFixed(2),
    ratio(figures.comparedWithFloor.redisMicroseconds.median),
    ratio(figures.comparedWithScript.redisMicroseconds.median),
    ratioTo(textbook, ({ redisMicroseconds }) => redisMicroseconds.median),
    commandsWithin === 0
      ? count(commandsSent)
      : `${count(commandsSent)} (${count(commandsWithin)})`,
    count(figures.bytesIn),
    count(figures.bytesOut),
  ]
}

function ratioTo(other: Comparison | undefined, figure: (other: Comparison) => number): string {
  return other === undefined ? '' : ratio(figure(other))
}
