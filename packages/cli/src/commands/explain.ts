import { SluiceError } from '@sluice/core'
import {
  contextFacts,
  RulesError,
  type Explanation,
  type RuleContext,
  type RuleSet,
} from '@sluice/rules'
import { Option, type Command } from 'commander'
import { checkAsText } from '../output/check-text.js'
import { explanationAsText, type ExplainReport } from '../output/explain-text.js'
import { styleOf } from '../output/style.js'
import type { readCounts, Standing } from '../reading/counts.js'
import { checkDocument } from '../reading/document.js'
import { inputOf } from '../reading/input.js'
import { contextOf, withRequestOptions, type RequestOptions } from '../reading/request.js'
import type { Terminal } from '../terminal.js'
import { visibleJson } from '../text/visible.js'

interface ExplainCommandOptions extends RequestOptions {
  readonly redis?: string
  readonly cluster?: boolean
  readonly prefix?: string
  readonly show?: boolean
  readonly format: keyof typeof formats
}

const formats = { text: explanationAsText, json: explanationAsJson }

/** Adds `sluice explain`. */
export function addExplain(program: Command, terminal: Terminal): void {
  const command = program
    .command('explain')
    .summary('say which rules apply to a request, and why')
    .description(
      'Say which rules of a document apply to a request and why, with the key and the limit of each. Nothing is counted.',
    )
    .argument('<file>', 'rules document in YAML or JSON (*.json); "-" is the standard input')
  withRequestOptions(command)
    .option(
      '--redis <url>',
      'Redis server of the application: print what is counted, and what remains',
    )
    .option('--cluster', 'the Redis server is a node of a Redis Cluster')
    .option('--prefix <prefix>', 'prefix of the keys in Redis, if the application sets one')
    .option('--show', 'print the values of headers and cookies in place of their hashes')
    .addOption(
      new Option('--format <format>', 'output format')
        .choices(Object.keys(formats))
        .default('text'),
    )
    .addHelpText('after', help)
    .action((file: string, options: ExplainCommandOptions, own: Command) =>
      explain(file, options, own, terminal),
    )
}

const help = `
A value is converted to its declared type: "true" is a boolean if the document declares a boolean.
The request has only the values, headers and cookies that you state.

Exit code:
  0  the request was explained, whether it is allowed or not
  1  the document has mistakes, the request lacks a value, or Redis cannot be read

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
  terminal: Terminal,
): Promise<void> {
  const { show = false, format, redis } = options
  const { stdout, stderr } = terminal
  const document = await checkDocument(file, inputOf(terminal.stdin))
  const { rules } = document
  if (rules === undefined) {
    const errors = document.findings.filter(({ severity }) => severity === 'error').length
    const warnings = document.findings.length - errors
    const report = { documents: [document], against: undefined, errors, warnings }
    stderr.write(checkAsText(report, styleOf(stderr, terminal)))
    terminal.exitCode = 1
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
  stdout.write(formats[format](report, styleOf(stdout, terminal)))
}

/** The Redis client takes long to load, and most explanations do not need it. */
async function countsIn(...args: Parameters<typeof readCounts>): Promise<Standing> {
  const { readCounts } = await import('../reading/counts.js')
  return readCounts(...args)
}

/** If the request lacks a value, the error names the option that states it. */
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
      const message = 'a rule needs the address of the client. State it with --ip.'
      throw new Error(message, { cause: error })
    }
    if (error instanceof RulesError && error.code === 'SLUICE_RULES_VALUE_MISSING') {
      throw new Error(`${error.message}\nState it with --value name=value.`, { cause: error })
    }
    throw error
  }
}

/** Formats an explanation as JSON. */
export function explanationAsJson(report: ExplainReport): string {
  const { file, name, context, at, explanation, standing } = report
  const { method, url, host, route, ip } = context
  return `${visibleJson({
    file,
    name,
    // Headers and cookies may be secrets.
    request: { method, url, host, route, ip, at: new Date(at).toISOString() },
    ...explanation,
    standing: standing && {
      allowed: standing.decision.allowed,
      rule: standing.decision.rule,
      outcome: standing.decision.outcome,
      tags: standing.decision.tags,
      retryAfterMs: standing.decision.retryAfterMs,
      delayMs: standing.decision.delayMs,
      exceeded: standing.exceeded,
      counts: Object.fromEntries(standing.counts),
    },
  })}\n`
}
