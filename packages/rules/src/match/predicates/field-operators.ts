import { isBoolean } from '@sluice/core/internal'
import type { Scalar } from '../../document/document.js'
import type { Field, FieldType } from '../reading.js'

const operatorNames = [
  'in',
  'from',
  'to',
  'above',
  'below',
  'prefix',
  'suffix',
  'contains',
  'matches',
  'present',
  'not',
] as const

export type OperatorName = (typeof operatorNames)[number]

export function isOperatorName(name: string): name is OperatorName {
  return operatorNames.some((known) => known === name)
}

/** What predicates of a field can have: operators, and values to compare it with. */
interface Comparable {
  readonly operators: readonly OperatorName[]
  /** The values in words. */
  readonly expected: string
  fits(value: Scalar): boolean
}

const isText = (value: Scalar): boolean => !isBoolean(value)
const text = { operators: operatorNames, expected: 'a text or a number', fits: isText }
const number: Comparable = {
  operators: ['in', 'from', 'to', 'above', 'below', 'present', 'not'],
  expected: 'a number',
  fits: (value) => typeof value === 'number',
}

const comparables: Readonly<Record<FieldType, Comparable>> = {
  text,
  path: text,
  address: { ...text, operators: ['in', 'present', 'not'] },
  number,
  integer: { ...number, expected: 'a whole number', fits: Number.isSafeInteger },
  boolean: { operators: ['present', 'not'], expected: 'true or false', fits: isBoolean },
}

export function comparableOf({ type, oneOf }: Field): Comparable {
  if (oneOf === undefined) return comparables[type]
  const expected = `one of ${oneOf.join(', ')}`
  return { ...comparables[type], expected, fits: (value) => oneOf.some((one) => one === value) }
}
