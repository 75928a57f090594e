import { inverse, type Figures, type Group, type Groups } from './figures.js'
import type { Spread } from './rounds.js'

/** A Markdown table. The first `words` columns are text, and the others are numbers. */
export function table(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  words = 1,
): string {
  const rule = columns.map((_, i) => (i < words ? '---' : '---:'))
  return [columns, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

export type Column = readonly [title: string, cell: Cell]

/** The text of a contender in a column. It is empty if the contender has no such figure. */
export type Cell = (figures: Figures, isFirst: boolean) => string

/** A table with a row for each contender that has a figure in it. */
export function groupTable(columns: readonly Column[], group: Group): string {
  return table(['', ...columns.map(([title]) => title)], rowsOf(columns, group))
}

/** A table of several groups, with the name of the group before the contender's. */
export function groupsTable(
  columns: readonly Column[],
  groups: Groups,
  words: readonly string[] = ['', ''],
): string {
  const rows = Object.entries(groups).flatMap(([name, group]) =>
    rowsOf(columns, group).map((cells) => [name].concat(cells)),
  )
  return table([...words, ...columns.map(([title]) => title)], rows, 2)
}

function rowsOf(columns: readonly Column[], group: Group): readonly (readonly string[])[] {
  return Object.entries(group).flatMap(([name, figures], i) => {
    const cells = columns.map(([, cell]) => cell(figures, i === 0))
    return cells.some((text) => text !== '') ? [[nameOf(name), ...cells]] : []
  })
}

/** The median of a figure. */
export function medianCell(figure: string, text: (value: number) => string = ratio): Cell {
  return ({ [figure]: found }) => (found === undefined ? '' : text(found.median))
}

/** The median, and the lowest and highest value. */
export function spreadCell(figure: string, isInverse = false): Cell {
  return ({ [figure]: found }) => {
    if (found === undefined) return ''
    return spread(isInverse ? inverse(found) : found)
  }
}

/** The multiple of the yardstick, and for the yardstick its own figure. */
export function multipleCell(
  figure: string,
  text?: (value: number) => string,
  isInverse = false,
): Cell {
  const own = medianCell(figure, (value) => (text === undefined ? '1.00' : `1.00 = ${text(value)}`))
  const multiple = spreadCell(`${figure} ÷`, isInverse)
  return (figures, isFirst) => (isFirst ? own : multiple)(figures, isFirst)
}

export function ratio(value: number): string {
  return Math.abs(value) < 0.01 && value !== 0 ? value.toPrecision(1) : value.toFixed(2)
}

/** The median, and the lowest and highest value of the rounds. */
export function spread({ median, lowest, highest }: Spread): string {
  return `${ratio(median)} (${ratio(lowest)}–${ratio(highest)})`
}

/** With one decimal, unless the number is whole. */
export function count(value: number): string {
  return `${Math.round(value * 10) / 10}`
}

/** With three digits or more, and a unit. */
export function inUnits(unit: string): (value: number) => string {
  return (value) => `${value < 100 ? ratio(value) : value.toFixed(0)}${unit}`
}

/** Sluice's own contenders are bold. */
export function nameOf(contender: string): string {
  return contender.startsWith('Sluice') ? `**${contender}**` : contender
}
