import { didYouMean } from './did-you-mean.js'
import { quoted, quotedList, sentence, show } from './quoting.js'

/** Errors and warnings of the options of any function. */
export const optionMessages = {
  SLUICE_OPTION_UNKNOWN: (
    where: string,
    option: string,
    known: readonly string[],
    advice?: string,
  ): string =>
    `${where}: there is no option ${quoted(option)}.${sentence(advice)} ` +
    `It takes ${known.length === 0 ? 'none' : quotedList(known)}.`,

  SLUICE_OPTION_RENAMED: (where: string, option: string, name: string, hint: string): string =>
    `${where}: "${option}" is called "${name}" in Sluice: ${hint}.`,

  SLUICE_OPTION_MISPLACED: (where: string, option: string, policy: string): string =>
    `${where}: "${option}" is an option of a policy, not of this function. Pass policies: ${policy}, or the like.`,

  SLUICE_OPTION_MISSING: (where: string, option: string, expected: string): string =>
    `${where}: "${option}" is missing. Pass ${expected}.`,

  SLUICE_OPTION_INVALID: (
    where: string,
    option: string,
    value: unknown,
    expected: string,
    advice?: string,
  ): string => `${where}: "${option}" is ${show(value)}. Pass ${expected}.${sentence(advice)}`,

  SLUICE_RESULT_INVALID: (
    where: string,
    option: string,
    value: unknown,
    expected: string,
  ): string =>
    `${where}: the function "${option}" returned ${show(value)}. Return ${expected} for every request.`,

  SLUICE_OPTIONS_INVALID: (where: string, value: unknown, expected: string): string =>
    `${where}: the options are ${show(value)}. Pass ${expected}.`,

  SLUICE_OPTIONS_CONFLICT: (where: string, first: string, second: string, advice: string): string =>
    `${where}: "${first}" and "${second}" exclude each other. ${advice}.`,

  SLUICE_NUMBERS_TOO_LARGE: (where: string, product: string): string =>
    `${where}: ${product} is 2^53 or more, which a number cannot hold exactly. Use slidingWindow or fixedWindow, which take any limit, or pass a smaller limit or a shorter window.`,

  SLUICE_POLICY_UNKNOWN: (where: string, value: unknown, kinds: readonly string[]): string => {
    const kind =
      typeof value === 'object' && value !== null && 'kind' in value ? value.kind : undefined
    const [what, advice] =
      typeof kind === 'string'
        ? [`the kind ${quoted(kind)}`, didYouMean(kind, kinds)]
        : [show(value), undefined]
    return `${where}: ${what} is not a policy.${sentence(advice)} Make one with ${quotedList(kinds) || 'a builder'}, or pass an object whose "kind" is one of these.`
  },

  SLUICE_ALGORITHM_MISSING: (where: string, kind: string): string =>
    `${where}: the bundle of this program does not contain the algorithm "${kind}". A bundler keeps only those whose builders the program calls, and a ` +
    `policy that is plain data calls none: import registerAlgorithms from '@sluice/core/algorithms', and call it first.`,

  SLUICE_DURATION_SHORT: (where: string, option: string, value: number): string =>
    `${where}: "${option}" is ${value}, which means ${value} milliseconds. If seconds are meant, pass '${value}s'. ` +
    `If milliseconds are meant, pass '${value}ms', and there is no warning.`,
}
