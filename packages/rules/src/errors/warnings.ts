import { quoted, quotedList } from './quoting.js'

/** Warnings about valid documents with a probable mistake. */
export const warningMessages = {
  SLUICE_RULES_UNREACHABLE: (rule: string, other: string, line: number): string =>
    `rule ${quoted(rule)} never applies: ${quoted(other)}${line === 0 ? '' : ` (line ${line})`} ends the search for every request that it matches.`,

  SLUICE_RULES_NO_FLOOR: (rule: string, absent: readonly string[]): string =>
    `rule ${quoted(rule)} does not apply to requests without ${quotedList(absent)}, and no other rule limits them. Add a rule with "key: ip", or write "key: { first: [${absent[0]}, ip] }".`,

  SLUICE_RULES_KEY_UNBOUNDED: (rule: string, field: string): string =>
    `rule ${quoted(rule)}: with ${quoted(field)} in the key, each ${field} has its own count, and clients choose the ${field}. Use "route", or a parameter such as "param.id".`,

  SLUICE_RULES_REGEXP_NEEDLESS: (regexp: string, instead: string): string =>
    `the regular expression ${quoted(regexp)} takes about thirty times as long as ${instead}, which matches the same values.`,

  SLUICE_RULES_ALLOW_PATH: (rule: string): string =>
    `rule ${quoted(rule)} exempts every path that fits a pattern, also paths that are added later. It matches the path as the client sent it: a path with other letter case, "//" or "%61" is not exempt.`,

  SLUICE_RULES_CUT_OFF: (problem: string): string => `${problem}.`,

  SLUICE_RULES_DURATION_SHORT: (value: number): string =>
    `${value} means ${value} milliseconds. For seconds, write ${value}s. For milliseconds, write ${value}ms.`,
}
