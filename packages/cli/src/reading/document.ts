import { readRulesFile, RulesError } from '@sluice/rules'
import { checkRules } from '@sluice/rules/check'
import type { Finding, RulesText } from '@sluice/rules'
import type { CheckOptions, RulesCheck } from '@sluice/rules/check'
import { isAbsolute, join, dirname } from 'node:path'

/** A finding and the file that it is in. */
export interface PlacedFinding extends Finding {
  readonly file: string
}

/** A document that was checked. */
export interface CheckedDocument extends Omit<RulesCheck, 'findings'> {
  /** The name that the user gave it. */
  readonly file: string
  readonly findings: readonly PlacedFinding[]
  /** Its text, and those of its files. Undefined if it cannot be read. */
  readonly text: RulesText | undefined
}

/**
 * Reads and checks a document. If it cannot be read, that is its only finding.
 *
 * @param name the name of a file, or "-" for the standard input
 * @param input reads the standard input
 */
export async function checkDocument(
  name: string,
  input: () => Promise<string>,
  options?: CheckOptions,
): Promise<CheckedDocument> {
  const file = name === standardInput ? 'stdin' : name
  try {
    const text = await readDocument(name, input)
    const check = await checkRules(text, options)
    const findings = check.findings.map((finding) => placed(finding, text))
    return { ...check, file, findings, text }
  } catch (error) {
    if (!(error instanceof RulesError)) throw error
    const { code, message } = error
    const finding = {
      severity: 'error',
      line: 0,
      column: 0,
      path: '',
      code,
      message,
      file,
    } as const
    return {
      file,
      findings: [finding],
      text: undefined,
      rules: undefined,
      tests: [],
      comparison: undefined,
    }
  }

  function placed(finding: Finding, { files }: RulesText): PlacedFinding {
    if (!files.has(finding.path)) return { ...finding, file }
    const own = finding.path
    return { ...finding, file: isAbsolute(own) ? own : join(dirname(name), own) }
  }
}

const standardInput = '-'

/** Files that a document from the standard input names are read relative to the current folder. */
async function readDocument(name: string, input: () => Promise<string>): Promise<RulesText> {
  return name === standardInput ? readRulesFile('stdin', await input()) : readRulesFile(name)
}
