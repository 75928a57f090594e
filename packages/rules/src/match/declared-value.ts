import { isBoolean, isInstance, keyError } from '@sluice/core/internal'
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
      if (
        valueTypes[type].fits(value) &&
        (oneOf === undefined || oneOf.some((word) => word === value))
      )
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
  readonly type: FieldType & keyof typeof valueTypes
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
    const { expected } = valueTypes[type]
    return { type, oneOf: undefined, required, expected, optionalForm: `"${name}?"` }
  }
  const { oneOf, optional = false } = 'oneOf' in declaration ? declaration : { oneOf: declaration }
  const isNumeric = oneOf.every((value) => typeof value === 'number')
  const expected = `one of ${oneOf.join(', ')}`
  const optionalForm = `{ oneOf: [${oneOf.join(', ')}], optional: true }`
  return { type: isNumeric ? 'number' : 'text', oneOf, required: !optional, expected, optionalForm }
}

interface ValueType {
  /** The values in words. */
  readonly expected: string
  fits(value: unknown): value is Scalar
  /** The value of a text. Undefined if it has none. */
  read(text: string): Scalar | undefined
}

export const valueTypes: Readonly<Record<'text' | 'number' | 'integer' | 'boolean', ValueType>> = {
  text: {
    expected: 'a string',
    fits: (value) => typeof value === 'string',
    read: (text) => text,
  },
  number: {
    expected: 'a finite number',
    fits: (value): value is number => Number.isFinite(value),
    read: numberIn,
  },
  integer: {
    expected: 'a whole number below 2^53',
    fits: (value): value is number => Number.isSafeInteger(value),
    read(text) {
      const number = numberIn(text)
      return Number.isSafeInteger(number) ? number : undefined
    },
  },
  boolean: {
    expected: 'true or false',
    fits: isBoolean,
    read: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  },
}

/** `Number` alone also reads spaces, `0x10` and `Infinity`. */
function numberIn(text: string): number | undefined {
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text))
    ? Number(text)
    : undefined
}
