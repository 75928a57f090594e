import type { Figures, Group, Groups } from './figures.js'
import { isReading } from './processes/reading.js'
import type { Spread } from './rounds.js'

/** The measurements of a section, as the `results` folder has them. */
export interface Results {
  /** The machine and the versions of the programs. */
  readonly conditions: Readonly<Record<string, string>>
  /** The amounts of work, and other numbers. */
  readonly amounts: Readonly<Record<string, number>>
  readonly groups: Groups
}

export function isResults(value: unknown): value is Results {
  return (
    isRecord(value) &&
    isRecordOf(value['conditions'], isText) &&
    isReading(value['amounts']) &&
    isRecordOf(value['groups'], (group): group is Group =>
      isRecordOf(group, (figures): figures is Figures => isRecordOf(figures, isSpread)),
    )
  )
}

function isRecordOf<T>(
  value: unknown,
  isMember: (member: unknown) => member is T,
): value is Readonly<Record<string, T>> {
  return isRecord(value) && Object.values(value).every(isMember)
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isSpread(value: unknown): value is Spread {
  return isReading(value) && ['median', 'lowest', 'highest'].every((name) => name in value)
}
