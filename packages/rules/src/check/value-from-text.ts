import type { RulesDocument, Scalar } from '../document/document.js'
import { rulesError } from '../errors.js'
import { declared, valueTypes } from '../match/declared-value.js'

/**
 * Converts a text, such as an option of a command line or a field of a log, into a declared value of a document. An empty text is an absent value.
 *
 * @throws RulesError SLUICE_RULES_FIELD_UNKNOWN if the document does not declare the value, SLUICE_RULES_VALUE_INVALID if the text has another type
 */
export function valueFromText(
  { values = {} }: Pick<RulesDocument, 'values'>,
  name: string,
  text: string,
): Scalar | undefined {
  if (!Object.hasOwn(values, name)) {
    throw rulesError('SLUICE_RULES_FIELD_UNKNOWN', name, Object.keys(values))
  }
  if (text === '') return undefined
  const { type, oneOf, expected } = declared(values[name])
  const value =
    oneOf === undefined ? valueTypes[type].read(text) : oneOf.find((one) => `${one}` === text)
  if (value === undefined) throw rulesError('SLUICE_RULES_VALUE_INVALID', name, text, expected)
  return value
}
