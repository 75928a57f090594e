import process from 'node:process'
import type { RuleSet } from '@sluice/rules'
import { Command, Option } from 'commander'
import type { CheckReport } from '../output/check-report.js'
import { checkAsGithub } from '../output/check-github.js'
import { checkAsJson } from '../output/check-json.js'
import { checkAsText } from '../output/check-text.js'
import { styleOf } from '../output/style.js'
import { checkDocument, type CheckedDocument } from '../reading/document.js'

interface CheckCommandOptions {
  readonly against?: string
  readonly strict?: boolean
  readonly format: keyof typeof formats
}

const formats = { text: checkAsText, json: checkAsJson, github: checkAsGithub }

/** `sluice check`. */
export function checkCommand(): Command {
  return new Command('check')
    .summary('find mistakes in documents of rules, and run their tests')
    .description(
      'Find mistakes in documents of rules, and run the tests that the documents contain. Each mistake is printed with its file, line and column. ' +
        'List and override files that a document names are read relative to the document.',
    )
    .argument('<files...>', 'documents in YAML or JSON (*.json); "-" is the standard input')
    .option(
      '--against <file>',
      'the document in use: print which rules differ, and which counts start again',
    )
    .option('--strict', 'exit with 2 if there are warnings')
    .addOption(
      new Option('--format <format>', 'how to print the result; "github" makes annotations')
        .choices(Object.keys(formats))
        .default('text'),
    )
    .helpOption('--help', 'print this help')
    .addHelpText('after', help)
    .action(check)
}

const help = `
Exit code:
  0  no mistakes
  1  mistakes, tests that fail, or a file that cannot be read
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
): Promise<void> {
  const { against, strict = false, format } = options
  if (against !== undefined && files.length > 1) {
    command.error('error: --against compares one document, and several are given')
  }
  const inUse = against === undefined ? undefined : await rulesInUse(against, command)
  const documents: CheckedDocument[] = []
  for (const file of files) {
    documents.push(await checkDocument(file, inUse === undefined ? {} : { against: inUse }))
  }
  const findings = documents.flatMap((document) => document.findings)
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const warnings = findings.length - errors
  const report: CheckReport = { documents, against, errors, warnings }
  process.stdout.write(formats[format](report, styleOf(process.stdout)))
  process.exitCode = errors > 0 ? 1 : strict && warnings > 0 ? 2 : 0
}

/** The tests of the document in use do not matter any more, and its mistakes only if it cannot be compared. */
async function rulesInUse(file: string, command: Command): Promise<RuleSet> {
  const { rules, ...document } = await checkDocument(file)
  if (rules !== undefined) return rules
  const report = { documents: [{ ...document, rules }], against: undefined, errors: 1, warnings: 0 }
  process.stderr.write(checkAsText(report, styleOf(process.stderr)))
  return command.error('error: --against needs a document without mistakes')
}
