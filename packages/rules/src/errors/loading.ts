import { quoted, show } from './quoting.js'

/** Errors and warnings of loading, besides those of a source. */
export const loadingMessages = {
  SLUICE_RULES_COMPILE_FAILED: (problem: string): string =>
    `the document cannot be compiled: ${problem}`,

  SLUICE_RULES_KEEP_FAILED: (path: string, problem: string): string =>
    `the last good rules cannot be kept in ${path}: ${problem}. The current rules still apply.`,

  SLUICE_RULES_STALE: (name: string, problem: string): string =>
    `rules ${quoted(name)}: the last valid document still applies, because the source delivers no valid one. If the application subscribes to the channel ` +
    `"sluice:rules", it receives this failure, and there is no warning. The failure: ${problem}`,

  SLUICE_RULES_FUNCTION_MISSING: (name: string): string =>
    `the document requires the value ${quoted(name)}, but "values" of loadRules has no function for it. Add one, or declare the value with a "?", such as "string?".`,

  SLUICE_RULES_FUNCTION_UNKNOWN: (name: string, meant: string | undefined): string =>
    meant === undefined
      ? `"values" of loadRules has a function for ${quoted(name)}, which the document does not declare.`
      : `"values" of loadRules has a function for ${quoted(name)}, which the document does not declare, and none for ${quoted(meant)}. Did you mean ${quoted(meant)}?`,

  SLUICE_RULES_CONTEXT_INVALID: (context: unknown): string =>
    `the context is ${show(context)}. Pass an object, such as { ip: '203.0.113.9', user: '42' }.`,

  SLUICE_RULES_VALUE_UNKNOWN: (name: string, meant: string): string =>
    `the document declares no value ${quoted(name)}, and the context has no ${quoted(meant)}. Did you mean ${quoted(meant)}?`,
}
