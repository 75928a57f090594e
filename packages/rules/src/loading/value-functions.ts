import { nearestWord } from '@sluice/core/internal'
import type { ParsedRules } from '../compile/parse.js'
import { rulesError } from '../errors.js'
import { declared } from '../match/declared-value.js'

/**
 * Checks the names of the functions that an application has for the values of a document. Without its function, a required value would be an error of every
 * request that needs it, and an optional one would be absent from all requests. A function that no value needs can be that of a later document, unless its
 * name is probably a misspelled one.
 */
export function checkFunctions(
  { document, vocabulary }: Pick<ParsedRules, 'document' | 'vocabulary'>,
  functions: readonly string[],
): void {
  const { values = {} } = document
  const missing = Object.keys(values).filter((name) => !functions.includes(name))
  for (const name of functions) {
    if (Object.hasOwn(values, name)) continue
    const meant = nearestWord(name, missing)
    if (meant !== undefined) throw rulesError('SLUICE_RULES_FUNCTION_UNKNOWN', name, meant)
    vocabulary.findings.place('values').warning('SLUICE_RULES_FUNCTION_UNKNOWN', name, undefined)
  }
  for (const name of missing) {
    const { required, optionalForm } = declared(values[name])
    if (required) throw rulesError('SLUICE_RULES_FUNCTION_MISSING', name, optionalForm)
  }
}
