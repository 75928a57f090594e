import process from 'node:process'
import { checkRules, readRulesFile, RulesError } from '@sluice/rules'
import type { CheckOptions, Finding, RulesCheck, RulesText } from '@sluice/rules'
import { isAbsolute, join, dirname } from 'node:path'

/** A finding, and the file that it is about. */
export interface PlacedFinding extends Finding {
  readonly file: string
}

/** A document that was checked. */
export interface CheckedDocument extends Omit<RulesCheck, 'findings'> {
  /** As the caller named it. */
  readonly file: string
  readonly findings: readonly PlacedFinding[]
}

/** Reads and checks a document. A document that cannot be read has that as its only mistake. */
export async function checkDocument(
  name: string,
  options?: CheckOptions,
): Promise<CheckedDocument> {
  const file = name === standardInput ? 'stdin' : name
  try {
    const text = await readDocument(name)
    const check = await checkRules(text, options)
    return { ...check, file, findings: check.findings.map((finding) => placed(finding, text)) }
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
    return { file, findings: [finding], rules: undefined, tests: [], comparison: undefined }
  }

  function placed(finding: Finding, { files }: RulesText): PlacedFinding {
    if (!files.has(finding.path)) return { ...finding, file }
    const own = finding.path
    return { ...finding, file: isAbsolute(own) ? own : join(dirname(name), own) }
  }
}

const standardInput = '-'

/** The files that a document from the standard input names are relative to the current folder. */
async function readDocument(name: string): Promise<RulesText> {
  return name === standardInput
    ? readRulesFile('stdin', await (input ??= textOfInput()))
    : readRulesFile(name)
}

/** It can be read once. */
let input: Promise<string> | undefined

async function textOfInput(): Promise<string> {
  process.stdin.setEncoding('utf8')
  let text = ''
  for await (const chunk of process.stdin) text += String(chunk)
  return text
}
