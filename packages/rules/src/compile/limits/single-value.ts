import type { Scalar } from '../../document/document.js'
import { rulesError } from '../../errors.js'
import type { Field, Value } from '../../match/context.js'

/**
 * The value by which a request is counted, or by which its limit is chosen. Of several meanings of a path or a method it is the usual one.
 *
 * @throws RulesError SLUICE_RULES_VALUE_INVALID if the client sent several values: with another one in each request, it would have a new count each time
 */
export function singleValue(field: Field, value: Exclude<Value, undefined>): Scalar {
  if (typeof value !== 'object') return value
  const { name, type } = field
  if (type === 'path' || name === 'method') return value[0]
  const expected = 'a single value that all frameworks read in the same way'
  throw rulesError('SLUICE_RULES_VALUE_INVALID', name, value, expected)
}
