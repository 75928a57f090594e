import type { CheckOptions } from '@sluice/rules/check'
import { Option, type Command } from 'commander'
import { checkAsGithub } from '../output/check-github.js'
import { checkAsText, type CheckReport } from '../output/check-text.js'
import { styleOf } from '../output/style.js'
import { checkDocument, type CheckedDocument } from '../reading/document.js'
import { inputOf } from '../reading/input.js'
import type { Terminal } from '../terminal.js'
import { visibleJson } from '../text/visible.js'

interface CheckCommandOptions {
  readonly against?: string
  readonly strict?: boolean
  readonly format: keyof typeof formats
}

const formats = { text: checkAsText, json: checkAsJson, github: checkAsGithub }

/** Adds `sluice check`. */
export function addCheck(program: Command, terminal: Terminal): void {
  program
    .command('check')
    .summary('find mistakes in rules documents, and run their tests')
    .description(
      'Find mistakes in rules documents, and run the tests of the documents. Each mistake has its file, line and column. ' +
        'Paths of list and override files are relative to the document.',
    )
    .argument('<files...>', 'rules documents in YAML or JSON (*.json); "-" is the standard input')
    .option(
      '--against <file>',
      'document in use: print which rules differ, and which counts start again',
    )
    .option('--strict', 'exit with 2 if there are warnings')
    .addOption(
      new Option('--format <format>', 'output format; "github" prints annotations')
        .choices(Object.keys(formats))
        .default('text'),
    )
    .addHelpText('after', help)
    .action((files: string[], options: CheckCommandOptions, command: Command) =>
      check(files, options, command, terminal),
    )
}

const help = `
Exit code:
  0  no mistakes
  1  mistakes, failed tests, a file that cannot be read, or wrong options
  2  warnings only, with --strict

Examples:
  sluice check rules.yaml
  sluice check rules/*.yaml --strict --format github
  sluice check rules.yaml --against deployed.yaml
  git show main:rules.yaml | sluice check rules.yaml --against -`

async function check(
  files: readonly string[],
  options: CheckCommandOptions,
  command: Command,
  terminal: Terminal,
): Promise<void> {
  const { against, strict = false, format } = options
  if (against !== undefined && files.length > 1) {
    command.error('error: --against compares one document, and several are given')
  }
  const input = inputOf(terminal.stdin)
  const inUse = against === undefined ? {} : await rulesInUse(against)
  const documents: CheckedDocument[] = []
  for (const file of files) {
    documents.push(await checkDocument(file, input, inUse))
  }
  const findings = documents.flatMap((document) => document.findings)
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const warnings = findings.length - errors
  const report: CheckReport = { documents, against, errors, warnings }
  terminal.stdout.write(formats[format](report, styleOf(terminal.stdout, terminal)))
  terminal.exitCode = errors > 0 ? 1 : strict && warnings > 0 ? 2 : 0

  /** A document whose tests fail can be compared; one that does not compile cannot. */
  async function rulesInUse(file: string): Promise<CheckOptions> {
    const { rules, text, ...document } = await checkDocument(file, input)
    if (rules !== undefined && text !== undefined) return { against: rules }
    const documents = [{ ...document, rules, text }]
    const mistakes = { documents, against: undefined, errors: 1, warnings: 0 }
    terminal.stderr.write(checkAsText(mistakes, styleOf(terminal.stderr, terminal)))
    return command.error('error: --against needs a document without mistakes')
  }
}

/** Formats a check as JSON. */
function checkAsJson({ documents, errors, warnings }: CheckReport): string {
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
