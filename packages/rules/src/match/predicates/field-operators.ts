import type { Scalar } from '../../document/document.js'
import type { Field } from '../reading.js'

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

/** The operators that a field of this type can have. */
export function allowedFor({ type }: Field): ReadonlySet<OperatorName> {
  if (type === 'boolean') return booleanOperators
  if (type === 'address') return addressOperators
  return type === 'text' || type === 'path' ? textOperators : numberOperators
}

const booleanOperators = new Set<OperatorName>(['present', 'not'])
const addressOperators = new Set<OperatorName>(['in', 'present', 'not'])
const numberOperators = new Set<OperatorName>([
  'in',
  'from',
  'to',
  'above',
  'below',
  'present',
  'not',
])
const textOperators = new Set<OperatorName>(operatorNames)

/** Whether a field can have the value. */
export function fitsType({ type, oneOf }: Field, value: Scalar): boolean {
  if (oneOf !== undefined) return oneOf.some((known) => known === value)
  switch (type) {
    case 'boolean':
      return typeof value === 'boolean'
    case 'number':
      return typeof value === 'number'
    case 'integer':
      return Number.isSafeInteger(value)
    default:
      return typeof value !== 'boolean'
  }
}

/** The values that a field can have, in words. */
export function expectedOf({ type, oneOf }: Field): string {
  if (oneOf !== undefined) return `one of ${oneOf.join(', ')}`
  if (type === 'boolean') return 'true or false'
  if (type === 'integer') return 'a whole number'
  return type === 'number' ? 'a number' : 'a text or a number'
}
