import { isInstance, keyError } from '@sluice/core/internal'
import type { Scalar, ValueDeclaration } from '../document/document.js'
import { rulesError } from '../errors.js'
import type { Field, FieldType } from './reading.js'
import { Failure } from './value.js'

/** The traits of the field of a declared value. */
export function valueTraits(
  name: string,
  declaration: ValueDeclaration,
): Pick<Field, 'type' | 'oneOf' | 'required' | 'check'> {
  const { type, oneOf, required, expected, optionalForm } = declared(declaration)
  return {
    type,
    oneOf,
    required,
    check(given) {
      const value = typeof given === 'bigint' ? fromBigint(type, given) : given
      if (isInstance(value)) return new Failure(keyError(`the value "${name}"`, value, {}))
      if (value === undefined || value === null || value === '') {
        if (!required) return undefined
        return new Failure(rulesError('SLUICE_RULES_VALUE_MISSING', name, optionalForm))
      }
      if (fits(type, value) && (oneOf === undefined || oneOf.some((word) => word === value)))
        return value
      return new Failure(rulesError('SLUICE_RULES_VALUE_INVALID', name, value, expected))
    },
  }
}

/** A text for its digits. A number that is not exact stays a bigint, which is refused. */
function fromBigint(type: FieldType, value: bigint): unknown {
  if (type === 'text') return `${value}`
  return Number.isSafeInteger(Number(value)) ? Number(value) : value
}

interface Declared {
  readonly type: FieldType
  readonly oneOf: readonly (string | number)[] | undefined
  readonly required: boolean
  /** The expected type or values, in words. */
  readonly expected: string
  /** The declaration of the same value if a request may lack it. */
  readonly optionalForm: string
}

/** Reads the declaration of a value. */
export function declared(declaration: ValueDeclaration): Declared {
  if (typeof declaration === 'string') {
    const required = !declaration.endsWith('?')
    const name = required ? declaration : declaration.slice(0, -1)
    const type = name === 'number' || name === 'integer' || name === 'boolean' ? name : 'text'
    const optionalForm = `"${name}?"`
    return { type, oneOf: undefined, required, expected: expectations[type], optionalForm }
  }
  const { oneOf, optional = false } = 'oneOf' in declaration ? declaration : { oneOf: declaration }
  const isNumeric = oneOf.every((value) => typeof value === 'number')
  const expected = `one of ${oneOf.join(', ')}`
  const optionalForm = `{ oneOf: [${oneOf.join(', ')}], optional: true }`
  return { type: isNumeric ? 'number' : 'text', oneOf, required: !optional, expected, optionalForm }
}

function fits(type: FieldType, value: unknown): value is Scalar {
  switch (type) {
    case 'number':
      return typeof value === 'number' && Number.isFinite(value)
    case 'integer':
      return Number.isSafeInteger(value)
    case 'boolean':
      return typeof value === 'boolean'
    default:
      return typeof value === 'string'
  }
}

const expectations: Readonly<Record<FieldType, string>> = {
  text: 'a string',
  number: 'a finite number',
  integer: 'a whole number below 2^53',
  boolean: 'true or false',
  address: 'an address',
  path: 'a path',
}
