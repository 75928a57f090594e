import { quoted, quotedList, show } from './quoting.js'

/** One mistake in a document, and its place. */
export interface Mistake {
  /** An error refuses the document, a warning does not. */
  readonly severity: 'error' | 'warning'
  /** Counted from 1. 0 if the document has no text. */
  readonly line: number
  readonly column: number
  /** The place within the document, such as `rules[2].when.ip`; or the name of a file. */
  readonly path: string
  readonly message: string
  /** A word that was probably meant. */
  readonly hint?: string
}

/** Errors of documents and of the sources that they come from. */
export const documentMessages = {
  SLUICE_RULES_INVALID: (name: string | undefined, findings: readonly Mistake[]): string => {
    const errors = findings.filter(({ severity }) => severity === 'error')
    const lines = errors.slice(0, 10).map(placed)
    const rest = errors.length > 10 ? `\n  and ${errors.length - 10} more` : ''
    const count = errors.length === 1 ? 'one mistake' : `${errors.length} mistakes`
    return `rules${name === undefined ? '' : ` ${quoted(name)}`}: ${count} in the document.\n${lines.join('\n')}${rest}`
  },

  SLUICE_RULES_SYNTAX: (format: string, problem: string): string =>
    `this is not ${format}: ${problem}`,

  SLUICE_RULES_TOO_LARGE: (what: string, count: number | undefined, most: string): string =>
    `${what}${count === undefined ? '' : `: ${count}`}; at most ${most}.`,

  SLUICE_RULES_OPTION_UNKNOWN: (word: string, known: readonly string[]): string =>
    `there is no ${quoted(word)} here. Known: ${quotedList(known)}.`,

  SLUICE_RULES_OPTION_MISSING: (word: string, expected: string): string =>
    `${quoted(word)} is missing. Write ${expected}.`,

  SLUICE_RULES_OPTION_INVALID: (value: unknown, expected: string): string =>
    `this is ${show(value)}. Write ${expected}.`,

  SLUICE_RULES_OPTIONS_CONFLICT: (first: string, second: string, advice: string): string =>
    `${quoted(first)} and ${quoted(second)} exclude each other. ${advice}.`,

  SLUICE_RULES_FIELD_UNKNOWN: (name: string, known: readonly string[]): string =>
    `there is no field or value ${quoted(name)}. Known: ${quotedList(known)}.`,

  SLUICE_RULES_LIST_UNKNOWN: (name: string, known: readonly string[]): string =>
    `there is no list ${quoted(name)}. Lists: ${quotedList(known)}.`,

  SLUICE_RULES_LIST_ENTRY: (list: string, entry: string, expected: string): string =>
    `list ${quoted(list)}: the entry ${quoted(entry)} is wrong. Write ${expected}.`,

  SLUICE_RULES_FILE_MISSING: (file: string): string =>
    `the file ${quoted(file)} is missing. For a list without entries, write a file with an empty line.`,

  SLUICE_RULES_SCHEDULE_UNKNOWN: (name: string, known: readonly string[]): string =>
    `there is no schedule ${quoted(name)}. Schedules: ${quotedList(known)}.`,

  SLUICE_RULES_ID_TAKEN: (id: string, other: string): string =>
    `${quoted(id)} is already the name of ${other}. Both would share one count.`,

  SLUICE_RULES_PATTERN: (pattern: string, problem: string): string =>
    `the pattern ${quoted(pattern)} is wrong: ${problem}`,

  SLUICE_RULES_REGEXP: (regexp: string, problem: string): string =>
    `RE2 cannot read the regular expression ${quoted(regexp)}: ${problem}. RE2 has no backreferences and no lookarounds.`,

  SLUICE_RULES_POLICY: (problem: string): string => problem,

  SLUICE_RULES_VARIANT_MISSING: (by: string, missing: readonly string[]): string =>
    missing.length === 0
      ? `"else" is missing: ${quoted(by)} can have other values, for which the rule would have no limit.`
      : `"else" is missing, and so are the limits of ${quotedList(missing)}. Write "else", or these limits.`,

  SLUICE_RULES_OVERRIDE: (problem: string): string => problem,

  SLUICE_RULES_COUNT: (count: string, other: string, problem: string): string =>
    `the rule shares the count ${quoted(count)} with ${quoted(other)}, but ${problem}.`,

  SLUICE_RULES_TEST_FAILED: (position: number, problem: string): string =>
    `test ${position} fails: ${problem}${problem.endsWith('.') ? '' : '.'}`,

  SLUICE_RULES_NAME_CHANGED: (from: string, to: string): string =>
    `the name of the rules changed from ${quoted(from)} to ${quoted(to)}. All counts would start again, so the rules stay as they are. Keep the name, or restart the application.`,

  SLUICE_RULES_SOURCE_FAILED: (source: string, problem: string): string =>
    `the rules cannot be read from ${source}: ${problem}`,
}

function placed({ line, column, path, message, hint }: Mistake): string {
  const position = line === 0 ? '' : `${line}:${column}`
  const place = [position, path].filter((part) => part !== '').join(' ')
  return `  ${place === '' ? '' : `${place}: `}${message}${hint === undefined ? '' : ` Did you mean ${quoted(hint)}?`}`
}
