import type { CheckedDocument, PlacedFinding } from '../reading/document.js'
import type { Style } from './style.js'
import { visible } from '../text/visible.js'

/** The result of `sluice check`. */
export interface CheckReport {
  readonly documents: readonly CheckedDocument[]
  /** The document that the others are compared with. */
  readonly against: string | undefined
  readonly errors: number
  readonly warnings: number
}

/** Formats a check as text. */
export function checkAsText(report: CheckReport, style: Style): string {
  const { documents, against, errors, warnings } = report
  const lines = documents.flatMap((document) =>
    [
      document.findings.map((finding) => findingLine(finding, style)),
      aboutDocument(document, style),
      comparisonLines(document, against ?? '', style),
    ].flat(),
  )
  const total = `${counted(errors, 'error')}, ${counted(warnings, 'warning')}`
  const color = errors > 0 ? style.error : warnings > 0 ? style.warning : style.success
  return `${[...lines, color(total)].join('\n')}\n`
}

function findingLine(finding: PlacedFinding, { error, warning, faint }: Style): string {
  const { severity, code } = finding
  const color = severity === 'error' ? error : warning
  return `${placeOf(finding)}  ${color(severity)}  ${faint(code)}  ${messageOf(finding)}`
}

/** `file:line:column`, which terminals and editors open. */
function placeOf({ file, line, column }: PlacedFinding): string {
  return line === 0 ? visible(file) : `${visible(file)}:${line}:${column}`
}

/** The message of a finding with the suggested spelling. */
export function messageOf({ message, hint }: PlacedFinding): string {
  return visible(hint === undefined ? message : `${message} Did you mean "${hint}"?`)
}

function aboutDocument({ file, rules, tests }: CheckedDocument, { strong }: Style): string[] {
  if (rules === undefined) return []
  const passed = tests.filter((test) => test.passed).length
  const count = rules.document.rules.length
  const ran = tests.length === 0 ? 'no tests' : `${passed} of ${counted(tests.length, 'test')} pass`
  return [`${strong(visible(file))}: ${counted(count, 'rule')}, ${ran}`]
}

function comparisonLines(
  { comparison }: CheckedDocument,
  against: string,
  { warning, faint }: Style,
): string[] {
  if (comparison === undefined) return []
  const { added, changed, afresh, removed, declarations } = comparison
  const lines = [
    ...added.map((rule) => `added    ${visible(rule)}`),
    ...changed.map(({ rule, words }) => `changed  ${visible(`${rule}: ${words}`)}`),
    ...afresh.map(
      ({ rule, words }) =>
        `${warning('afresh')}   ${visible(`${rule}: ${words}`)} ${faint('(its counts start again)')}`,
    ),
    ...removed.map((rule) => `removed  ${visible(rule)}`),
    ...declarations.map((words) => `changed  ${visible(words)}`),
  ]
  const from = visible(against === '-' ? 'stdin' : against)
  if (lines.length === 0) return [`No rule differs from ${from}.`]
  return [`Against ${from}:`, ...lines.map((line) => `  ${line}`)]
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
