import { quoted, quotedList } from './quoting.js'

/** Warnings about documents that are valid and probably not meant so. */
export const warningMessages = {
  SLUICE_RULES_UNREACHABLE: (rule: string, other: string, line: number): string =>
    `rule ${quoted(rule)} never applies: ${quoted(other)}${line === 0 ? '' : ` (line ${line})`} ends the search for every request that it matches.`,

  SLUICE_RULES_NO_FLOOR: (rule: string, absent: readonly string[]): string =>
    `rule ${quoted(rule)} does not apply to requests without ${quotedList(absent)}, and no other rule limits them. Add a rule with "key: ip", or write "key: { first: [${absent[0]}, ip] }".`,

  SLUICE_RULES_KEY_UNBOUNDED: (rule: string, field: string): string =>
    `rule ${quoted(rule)}: ${quoted(field)} in the key gives each ${field} a count of its own, and clients choose the ${field}. Use "route", or a parameter such as "param.id".`,

  SLUICE_RULES_REGEXP_NEEDLESS: (regexp: string, instead: string): string =>
    `the regular expression ${quoted(regexp)} takes about thirty times as long as ${instead}, which says the same.`,

  SLUICE_RULES_ALLOW_PATH: (rule: string): string =>
    `rule ${quoted(rule)} allows by path, so it matches the path as the client sent it: letter case, a trailing slash, "//" and "%61" make it another path, which is not exempt.`,

  SLUICE_RULES_SECOND_CALL: (rules: readonly string[]): string =>
    `the rules ${quotedList(rules)} can apply to one request with different costs. Each further cost takes a further call of the store.`,

  SLUICE_RULES_DURATION_SHORT: (value: number): string =>
    `${value} means ${value} milliseconds. If seconds are meant, write ${value}s; if milliseconds are meant, ${value}ms.`,
}
