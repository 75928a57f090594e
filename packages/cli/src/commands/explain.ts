import process from 'node:process'
import { SluiceError } from '@sluice/core'
import { contextFacts, RulesError } from '@sluice/rules'
import type { Explanation, RuleContext, RuleSet } from '@sluice/rules'
import { Command, Option } from 'commander'
import { checkAsText } from '../output/check-text.js'
import { explanationAsJson } from '../output/explain-json.js'
import { explanationAsText } from '../output/explain-text.js'
import { styleOf } from '../output/style.js'
import type { readCounts, Standing } from '../reading/counts.js'
import { checkDocument } from '../reading/document.js'
import { contextOf, withRequestOptions, type RequestOptions } from '../reading/request.js'

interface ExplainCommandOptions extends RequestOptions {
  readonly redis?: string
  readonly prefix?: string
  readonly show?: boolean
  readonly format: keyof typeof formats
}

const formats = { text: explanationAsText, json: explanationAsJson }

/** `sluice explain`. */
export function explainCommand(): Command {
  const command = new Command('explain')
    .summary('say which rules apply to a request, and why')
    .description(
      'Say which rules of a document apply to a request, which do not, and why; the key and the limit of each, and where the limit comes from. ' +
        'Nothing is counted.',
    )
    .argument('<file>', 'document in YAML or JSON (*.json); "-" is the standard input')
  return withRequestOptions(command)
    .option('--redis <url>', 'Redis of the application: print what counts, and what remains')
    .option('--prefix <prefix>', 'prefix of the keys in Redis, if the application sets one')
    .option('--show', 'print the values of headers and cookies, which are hashed otherwise')
    .addOption(
      new Option('--format <format>', 'how to print the result')
        .choices(Object.keys(formats))
        .default('text'),
    )
    .helpOption('--help', 'print this help')
    .addHelpText('after', help)
    .action(explain)
}

const help = `
A value is converted as the document declares it: "true" is a boolean where a boolean is declared.
A value, header or cookie that is not stated is absent.

Exit code:
  0  the request was explained, whatever the rules say about it
  1  the document has mistakes, or the request is an error, or Redis cannot be read

Examples:
  sluice explain rules.yaml --request 'POST /api/items' --ip 203.0.113.9
  sluice explain rules.yaml --request /search --ip 203.0.113.9 --header 'user-agent: a bot'
  sluice explain rules.yaml --request /api/items --ip 203.0.113.9 --value user=acme --value plan=pro \\
    --redis redis://localhost:6379
  sluice explain jobs.yaml --value tenant=acme --at 2026-10-01T22:30:00+02:00 --format json`

async function explain(
  file: string,
  options: ExplainCommandOptions,
  command: Command,
): Promise<void> {
  const { show = false, format, redis } = options
  const document = await checkDocument(file)
  const { rules } = document
  if (rules === undefined) {
    const errors = document.findings.filter(({ severity }) => severity === 'error').length
    const warnings = document.findings.length - errors
    const report = { documents: [document], against: undefined, errors, warnings }
    process.stderr.write(checkAsText(report, styleOf(process.stderr)))
    process.exitCode = 1
    return
  }
  const context = contextOf(options, rules.document, command)
  const at = options.at ?? Date.now()
  const explanation = await explained(rules, context, at, show)
  const standing =
    redis === undefined || explanation.type !== 'ask'
      ? undefined
      : await countsIn(rules, context, { ...options, redis })
  const report = { file: document.file, name: rules.name, context, at, explanation, standing }
  process.stdout.write(formats[format](report, styleOf(process.stdout)))
}

/** Most explanations need no client of Redis, which takes long to load. */
async function countsIn(...args: Parameters<typeof readCounts>): Promise<Standing> {
  const { readCounts } = await import('../reading/counts.js')
  return readCounts(...args)
}

/** What the request lacks is an option that the caller can add. */
async function explained(
  rules: RuleSet,
  context: RuleContext,
  at: number,
  show: boolean,
): Promise<Explanation> {
  try {
    return await rules.explain(contextFacts(context, rules.document), at, { show })
  } catch (error) {
    if (error instanceof SluiceError && error.code === 'SLUICE_ADDRESS_MISSING') {
      const message = 'a rule needs the address of the client: state it with --ip'
      throw new Error(message, { cause: error })
    }
    if (error instanceof RulesError && error.code === 'SLUICE_RULES_VALUE_MISSING') {
      throw new Error(`${error.message}\nState it with --value name=value.`, { cause: error })
    }
    throw error
  }
}
