import { nearestWord } from './did-you-mean.js'
import { sluiceError, type SluiceError } from '../errors.js'
import { renamedOptions } from './renamed-options.js'
import { policyOptions, unsupportedOptions } from './misplaced-options.js'

/**
 * The error for an option that a function does not have. In this order: an option that another library calls so is answered with its name here,
 * an option of a policy with the policy that takes it, one that has no counterpart with what to do instead, a misspelled one with the option
 * that is most like it.
 */
export function unknownOption(
  where: string,
  option: string,
  known: readonly string[],
): SluiceError {
  const words = own(renamedOptions, option) ?? {}
  const renamed = Object.entries(words).find(([ours]) => known.includes(ours))
  if (renamed !== undefined) return sluiceError('SLUICE_OPTION_RENAMED', where, option, ...renamed)

  const policy = own(policyOptions, option)
  const place = ['policy', 'policies'].find((name) => known.includes(name))
  if (policy !== undefined && place !== undefined) {
    return sluiceError('SLUICE_OPTION_MISPLACED', where, option, place, policy)
  }

  const advice = own(unsupportedOptions, option) ?? didYouMean(option, known)
  return sluiceError('SLUICE_OPTION_UNKNOWN', where, option, known, advice)
}

/** The known word that a misspelled one may stand for, as a question. */
export function didYouMean(word: unknown, known: readonly string[]): string | undefined {
  const nearest = typeof word === 'string' ? nearestWord(word, known) : undefined
  return nearest === undefined ? undefined : `Did you mean "${nearest}"?`
}

/** Names such as `constructor` are found in every object: only its own count. */
function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}
