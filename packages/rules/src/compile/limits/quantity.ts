import { isCount } from '@sluice/core/internal'
import type { Place } from '../../document/findings.js'
import { rulesError } from '../../errors.js'
import type { Field, Request } from '../../match/reading.js'
import type { Vocabulary } from '../../match/vocabulary.js'

/** A whole number that a document states, or that the application passes as a value: the units that a request takes, or the limit of a key. */
export interface Quantity {
  /** The value that contains it. Undefined if it is fixed. */
  readonly field: Field | undefined
  of(request: Request): number
}

/** Reads a number, or a declared value as `$name`. */
export function readQuantity(
  declaration: number | string,
  place: Place,
  { fields }: Vocabulary,
): Quantity {
  if (typeof declaration === 'number') return { field: undefined, of: () => declaration }
  const name = declaration.slice(1)
  const field = fields.isValue(name) ? fields.field(name, [], new Set()) : undefined
  if (field === undefined) {
    place.unknown(name, fields.values, 'SLUICE_RULES_FIELD_UNKNOWN', name, fields.values)
  } else if (field.type !== 'integer' && field.type !== 'number') {
    place.error('SLUICE_RULES_OPTION_INVALID', declaration, 'a value that is a number')
  }
  return {
    field,
    of(request) {
      const value = field?.counted(request)
      if (isCount(value)) return value
      throw value === undefined
        ? rulesError('SLUICE_RULES_VALUE_MISSING', name, undefined)
        : rulesError('SLUICE_RULES_VALUE_INVALID', name, value, 'a whole number, 0 or more')
    },
  }
}
