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

/** Sluice's own contenders are bold. */
export function nameOf(contender: string): string {
  return contender.startsWith('Sluice') ? `**${contender}**` : contender
}
