import { compileRules, type RuleSet } from '../compile/rule-set.js'
import { Findings } from '../document/findings.js'
import { parseRules } from '../compile/parse.js'
import type { RulesText } from '../document/syntax.js'
import { RulesError, type Finding } from '../errors.js'
import { compareRules, type Comparison } from '../compile/compare.js'
import { runTests, type TestResult } from './run-tests.js'

/** Options of `checkRules`. */
export interface CheckOptions {
  /** The rules that are in use, to compare with. */
  readonly against?: RuleSet
  /**
   * The time of the document's tests without a time of their own, in milliseconds since the epoch.
   *
   * @default Date.now()
   */
  readonly now?: number
}

/** The result of a check. */
export interface RulesCheck {
  /** Mistakes, warnings, and tests that fail, in the order of their lines; those in list files come last. */
  readonly findings: readonly Finding[]
  /** The compiled rules. Undefined if the document has mistakes. */
  readonly rules: RuleSet | undefined
  /** The results of the document's tests. */
  readonly tests: readonly TestResult[]
  /** The differences from the rules in `against`. */
  readonly comparison: Comparison | undefined
}

/**
 * Checks a document without using it: mistakes, warnings, its own tests, and its changes. It does not throw for mistakes of the document.
 *
 * @example
 * import { readRulesFile } from '@sluice/rules'
 * import { checkRules } from '@sluice/rules/check'
 *
 * const { findings } = await checkRules(await readRulesFile('rules.yaml'))
 */
export async function checkRules(
  text: RulesText,
  { against, now = Date.now() }: CheckOptions = {},
): Promise<RulesCheck> {
  try {
    const parsed = parseRules(text)
    const rules = await compileRules(parsed)
    const findings = new Findings(parsed.vocabulary.findings)
    const tests = await runTests(rules, now)
    for (const { position, problem } of tests) {
      if (problem === undefined) continue
      findings.place('tests', position - 1).error('SLUICE_RULES_TEST_FAILED', position, problem)
    }
    if (against !== undefined && against.name !== rules.name) {
      findings.place('name').warning('SLUICE_RULES_NAME_CHANGED', against.name, rules.name)
    }
    const comparison = against && compareRules(against, rules)
    return {
      findings: inOrder([...rules.warnings, ...findings.list], text),
      rules,
      tests,
      comparison,
    }
  } catch (error) {
    if (!(error instanceof RulesError) || error.findings === undefined) throw error
    const findings = inOrder(error.findings, text)
    return { findings, rules: undefined, tests: [], comparison: undefined }
  }
}

function inOrder(findings: readonly Finding[], { files }: RulesText): readonly Finding[] {
  const fileOf = ({ path }: Finding): string => (files.has(path) ? path : '')
  return findings.toSorted(
    (a, b) => fileOf(a).localeCompare(fileOf(b), 'en') || a.line - b.line || a.column - b.column,
  )
}
