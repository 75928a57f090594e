import type { Scalar } from '../../document/document.js'
import { rulesError } from '../../errors.js'
import { anything, type Field, type RequestContext, type Value } from '../../match/context.js'

/**
 * The value by which a request is counted, or by which its limit is chosen. Of several meanings of a URL, a host or a method it is the one that the framework
 * reads.
 *
 * @throws RulesError SLUICE_RULES_VALUE_INVALID if the client sent several values: with another one in each request, it would have a new count each time
 */
export function singleValue(
  field: Field,
  value: Exclude<Value, undefined>,
  context: RequestContext,
): Scalar {
  if (typeof value !== 'object' && value !== anything) return value
  const { name } = field
  const counted = field.counted?.(value, context)
  if (counted !== undefined) return counted
  const expected = 'a single value that all frameworks read in the same way'
  throw rulesError('SLUICE_RULES_VALUE_INVALID', name, value, expected)
}
