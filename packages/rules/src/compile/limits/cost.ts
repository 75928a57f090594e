import type { Place } from '../../document/findings.js'
import { rulesError } from '../../errors.js'
import type { Field, Request } from '../../match/reading.js'
import type { Vocabulary } from '../../match/vocabulary.js'

/** The units that a request takes. */
export interface Cost {
  /** The value that contains it. Undefined if it is fixed. */
  readonly field: Field | undefined
  costOf(request: Request): number
}

/** Reads the cost of a rule: a number, or a declared value as `$name`. */
export function readCost(
  declaration: number | string = 1,
  place: Place,
  vocabulary: Vocabulary,
): Cost {
  if (typeof declaration === 'number') return { field: undefined, costOf: () => declaration }
  const field = numberField(declaration, place, vocabulary)
  return {
    field,
    costOf(request) {
      const cost = field?.counted(request)
      if (cost === undefined) {
        throw rulesError('SLUICE_RULES_VALUE_MISSING', declaration.slice(1), undefined)
      }
      if (isQuantity(cost)) return cost
      throw rulesError(
        'SLUICE_RULES_VALUE_INVALID',
        declaration.slice(1),
        cost,
        'a whole number, 0 or more',
      )
    },
  }
}

/** The declared value of `$name`, which is a number. Undefined after a finding. */
export function numberField(
  reference: string,
  place: Place,
  { fields }: Vocabulary,
): Field | undefined {
  const name = reference.slice(1)
  const field = fields.isValue(name) ? fields.field(name, [], new Set()) : undefined
  if (field === undefined) {
    return place.unknown(name, fields.values, 'SLUICE_RULES_FIELD_UNKNOWN', name, fields.values)
  }
  if (field.type === 'integer' || field.type === 'number') return field
  return place.error('SLUICE_RULES_OPTION_INVALID', reference, 'a value that is a number')
}

export function isQuantity(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
