import type { CheckReport } from './check-report.js'
import { visibleJson } from '../text/visible.js'

/** Formats a check as JSON. */
export function checkAsJson({ documents, errors, warnings }: CheckReport): string {
  const files = documents.map(({ file, rules, findings, tests, comparison }) => ({
    file,
    name: rules?.name,
    version: rules?.version,
    rules: rules?.document.rules.length,
    findings,
    tests,
    comparison,
  }))
  return `${visibleJson({ errors, warnings, files })}\n`
}
