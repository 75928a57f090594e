import { didYouMean } from '../errors/did-you-mean.js'
import { sluiceError, type SluiceError } from '../errors.js'
import { renamedOptions } from './renamed-options.js'
import { policyOptions, unsupportedOptions } from './misplaced-options.js'

/**
 * The error for an option that a function does not have, with the first suggestion that applies: the name in Sluice for a name of another library,
 * a policy that takes the option, advice for an option without a counterpart, or the nearest name.
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
  if (policy !== undefined && known.includes('policies')) {
    return sluiceError('SLUICE_OPTION_MISPLACED', where, option, policy)
  }

  const advice = own(unsupportedOptions, option) ?? didYouMean(option, known)
  return sluiceError('SLUICE_OPTION_UNKNOWN', where, option, known, advice)
}

/** Every object inherits names such as `constructor`: only its own names count. */
function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}
