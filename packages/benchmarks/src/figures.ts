import type { Reading } from './processes/reading.js'
import { spreadOf, type Spread } from './rounds.js'

/** The readings of each contender, by its name, in the order of the rounds. */
export type Readings = ReadonlyMap<string, readonly Reading[]>

/** The figures of a contender. `microseconds ÷` is a multiple of another's `microseconds`, and `microseconds −` the difference. */
export type Figures = Readonly<Record<string, Spread>>

/** The figures of contenders that were measured together, by their names. The first one is the yardstick, if there is one. */
export type Group = Readonly<Record<string, Figures>>

export type Groups = Readonly<Record<string, Group>>

/**
 * The figures of all contenders. `otherOf` returns the readings with which those of a contender are compared: within each round, because the
 * same disturbances affect both.
 */
export function groupOf(
  readings: Readings,
  otherOf: (name: string) => readonly Reading[] | undefined = () => undefined,
  differences: readonly string[] = [],
): Group {
  return Object.fromEntries(
    Array.from(readings, ([name, own]) => [name, figuresOf(own, otherOf(name), differences)]),
  )
}

/** The figures of all contenders, compared with the first one. */
export function groupToFirst(readings: Readings, differences?: readonly string[]): Group {
  const [first] = readings.values()
  return groupOf(readings, () => first, differences)
}

function figuresOf(
  own: readonly Reading[],
  other: readonly Reading[] | undefined,
  differences: readonly string[],
): Figures {
  const found: [figure: string, values: readonly number[]][] = []
  for (const figure of Object.keys(own[0])) {
    const values = own.map((reading) => reading[figure])
    found.push([figure, values])
    if (other === undefined) continue
    const others = other.map((reading) => reading[figure])
    found.push([`${figure} ÷`, values.map((value, round) => value / others[round])])
    if (!differences.includes(figure)) continue
    found.push([`${figure} −`, values.map((value, round) => value - others[round])])
  }
  // A system may have no such figure, and no figure is a multiple of nothing.
  return Object.fromEntries(
    found
      .filter(([, values]) => values.every(Number.isFinite))
      .map(([figure, values]) => [figure, spreadOf(values)]),
  )
}

/** The contenders of a variant, such as `Sluice, three policies`, compared with the same ones without it. */
export function variantOf(readings: Readings, variant: string): Group {
  return groupOf(new Map(endingWith(readings, `, ${variant}`)), (name) => readings.get(name))
}

/** The contenders of no such variant, compared with the first one. */
export function groupWithout(readings: Readings, variants: readonly string[]): Group {
  const isOf = (name: string) => variants.some((variant) => name.endsWith(`, ${variant}`))
  return groupToFirst(new Map([...readings].filter(([name]) => !isOf(name))))
}

/** The members whose names end so, by the rest of their names. */
export function endingWith<T>(
  members: Iterable<readonly [name: string, member: T]>,
  end: string,
): readonly [name: string, member: T][] {
  return Array.from(members)
    .filter(([name]) => name.endsWith(end))
    .map(([name, member]) => [name.slice(0, -end.length), member])
}

/** The figures of the same contenders in several groups. `kept bytes` is the figure `bytes` of the group `kept`. */
export function joined(groups: Groups): Group {
  const found: Record<string, Record<string, Spread>> = {}
  for (const [part, group] of Object.entries(groups)) {
    for (const [name, figures] of Object.entries(group)) {
      const own = (found[name] ??= {})
      for (const [figure, value] of Object.entries(figures)) own[`${part} ${figure}`] = value
    }
  }
  return found
}

/** A multiple of a time as one of a speed. */
export function inverse({ median, lowest, highest }: Spread): Spread {
  return { median: 1 / median, lowest: 1 / highest, highest: 1 / lowest }
}

/** A figure of each contender that has it. */
export function mediansOf(group: Group, figure: string): readonly [name: string, median: number][] {
  return Object.entries(group)
    .filter(([, figures]) => figure in figures)
    .map(([name, figures]) => [name, figures[figure].median])
}
