import { readFile, writeFile } from 'node:fs/promises'
import process from 'node:process'
import { readRulesFile } from '@sluice/rules'
import { Option, type Command } from 'commander'
import { visibleJson } from '../output/visible.js'
import {
  collect,
  readCount,
  readFieldNames,
  readSeconds,
  readShare,
  readWindows,
} from '../reading/simulate-options.js'
import { formats, type Format } from '../simulate/cut/detect.js'
import type { FieldNames } from '../simulate/cut/json.js'
import { anonymized } from '../simulate/report/anonymize.js'
import { createProgress } from '../simulate/progress.js'
import { reportAsCsv } from '../simulate/report/csv.js'
import { reportAsHtml } from '../simulate/report/html.js'
import { reportAsText } from '../simulate/report/table.js'
import type { NamedVariant, SuggestRequest } from '../simulate/options.js'
import type { Report } from '../simulate/report/report.js'
import type { Table } from '../simulate/rules/facts.js'
import { tableOf } from '../simulate/rules/table.js'
import { simulateSources } from '../simulate/simulate.js'
import { fileSource, streamSource, type Source } from '../simulate/input/open.js'
import {
  algorithms,
  policiesOfText,
  policyOfLimit,
  type ShortAlgorithm,
} from '../simulate/variants.js'

interface SimulateCommandOptions {
  readonly key: string
  readonly limit: readonly string[]
  readonly algorithm: ShortAlgorithm
  readonly policy: readonly string[]
  readonly format: Format
  readonly nginxFormat?: string
  readonly field?: FieldNames
  readonly disorder: number
  readonly spread: boolean
  readonly force?: boolean
  readonly missing: 'error' | 'skip' | 'absent'
  readonly sample: number
  readonly top: number
  readonly quiet?: boolean
  readonly failOver?: number
  readonly failKeys?: number
  readonly json?: boolean | string
  readonly rules: readonly string[]
  readonly baseline?: string
  readonly table?: string
  readonly on: string
  readonly csv?: string
  readonly html?: string
  readonly anonymize?: boolean
  readonly suggest?: string
  readonly windows?: readonly number[]
}

/** Adds `sluice simulate`. */
export function addSimulate(program: Command): void {
  program
    .command('simulate')
    .summary('replay access logs against limits')
    .description(
      'Replay access logs against limits, in the time of the logs: which requests and which clients would have been denied.',
    )
    .argument('<logs...>', 'access logs, compressed with gzip or not; "-" is the standard input')
    .option(
      '--key <key>',
      'key of the limits: ip, user, method, path, host, header.NAME, field.NAME, or a list: [user, path]',
      'ip',
    )
    .option(
      '--limit <limit/window>',
      'limit to replay, such as 100/1m; may be repeated',
      collect,
      [],
    )
    .addOption(
      new Option('--algorithm <name>', 'algorithm of --limit')
        .choices(algorithms)
        .default('slidingWindow'),
    )
    .option(
      '--policy <yaml>',
      'policy to replay, such as "{ kind: gcra, limit: 100, window: 1m, burst: 20 }"; may be repeated',
      collect,
      [],
    )
    .option('--rules <file>', 'document of rules to replay; may be repeated', collect, [])
    .option(
      '--baseline <file>',
      'document of rules in use: print who is newly denied and newly admitted',
    )
    .option('--table <file>', 'values for rules in a CSV file, such as the plan of each user')
    .option('--on <field>', 'field of the log and column of --table that choose the row', 'user')
    .option(
      '--suggest <target>',
      'find the least limits that deny at most this: requests<=0.1% or keys<=1%',
    )
    .option('--windows <windows>', 'windows of --suggest: 1m,10m,1h (default: 1m)', readWindows)
    .addOption(
      new Option('--format <format>', 'format of the logs').choices(formats).default('auto'),
    )
    .option('--nginx-format <log_format>', 'the log_format of nginx that the logs have')
    .option(
      '--field <names>',
      'names of fields in JSON lines: time=ts,ip=client.address',
      readFieldNames,
    )
    .option('--disorder <seconds>', 'by how much lines may be out of order', readSeconds, 60_000)
    .option(
      '--no-spread',
      'leave the requests of a second at its beginning, if the log has whole seconds',
    )
    .option('--force', 'replay windows shorter than 5 seconds from a log with whole seconds')
    .addOption(
      new Option('--missing <what>', 'if the log lacks a field of the key')
        .choices(['error', 'skip', 'absent'])
        .default('error'),
    )
    .option('--sample <share>', 'replay only a share of the keys: 10%', readShare, 1)
    .option('--top <number>', 'number of keys in each list', readCount, 20)
    .option(
      '--fail-over <share>',
      'exit with 3 if a greater share of the requests is denied, or newly denied with --baseline: 0.5%',
      readShare,
    )
    .option(
      '--fail-keys <number>',
      'exit with 3 if more keys than this are denied, or newly denied with --baseline',
      readCount,
    )
    .option('--json [file]', 'write the report as JSON, to a file or instead of the table')
    .option('--csv <file>', 'write the denied keys as CSV')
    .option('--html <file>', 'write the report as a page that opens from the disk')
    .option(
      '--anonymize',
      'replace keys by hashes with a secret of this run, and leave out paths and user agents',
    )
    .option('--quiet', 'print no progress')
    .helpOption('--help', 'print this help')
    .addHelpText('after', help)
    .action(run)
}

const help = `
Exit code:
  0  the log was replayed
  1  mistakes in the options, or a log that cannot be read
  3  more is denied than --fail-over or --fail-keys allow
  4  a compressed log ends before its end; the report is about what precedes it

Examples:
  sluice simulate access.log --limit 100/1m --limit 60/1m
  sluice simulate access.log --rules rules.yaml --baseline deployed.yaml --fail-over 0.5%
  sluice simulate access.log.gz --key user --limit 1000/1h --algorithm gcra
  zcat access.log.*.gz | sluice simulate - --policy "{ kind: gcra, limit: 100, window: 1m, burst: 20 }"`

async function run(
  logs: readonly string[],
  options: SimulateCommandOptions,
  command: Command,
): Promise<void> {
  const started = performance.now()
  const shown = process.stderr.isTTY && options.quiet !== true
  const progress = shown ? createProgress(process.stderr, () => performance.now()) : undefined
  let replayed: Report
  try {
    replayed = await simulateSources(await Promise.all(logs.map(sourceOf)), {
      ...options,
      disorderMs: options.disorder,
      fields: options.field,
      variants: await variantsOf(options, command),
      baseline: options.baseline,
      table: await readTable(options),
      suggest: suggestOf(options),
      // All denied keys are in the CSV, as far as they are known.
      top: options.csv === undefined ? options.top : Infinity,
      onProgress: progress?.show,
    })
  } catch (error) {
    progress?.clear()
    command.error(`error: ${error instanceof Error ? error.message : String(error)}`)
  }
  progress?.clear()
  const report = options.anonymize === true ? anonymized(replayed) : replayed
  await writeReport(report, options, performance.now() - started)
  process.exitCode = exitCodeOf(report, options)
}

async function writeReport(
  report: Report,
  { json, csv, html, top }: SimulateCommandOptions,
  tookMs: number,
): Promise<void> {
  if (csv !== undefined) await writeFile(csv, reportAsCsv(report))
  const shortened = withTop(report, top)
  const asJson = `${visibleJson(shortened)}\n`
  if (typeof json === 'string') await writeFile(json, asJson)
  if (html !== undefined) await writeFile(html, await reportAsHtml(shortened))
  process.stdout.write(json === true ? asJson : reportAsText(shortened, { tookMs }))
}

function withTop(report: Report, top: number): Report {
  const variants = report.variants.map((variant) => ({
    ...variant,
    top: variant.top.slice(0, top),
  }))
  return { ...report, variants }
}

async function sourceOf(path: string): Promise<Source> {
  return path === '-' ? streamSource('standard input', process.stdin) : fileSource(path)
}

async function variantsOf(
  { key, limit, algorithm, policy, suggest, rules, baseline }: SimulateCommandOptions,
  command: Command,
): Promise<readonly NamedVariant[]> {
  if (limit.length + policy.length + rules.length === 0 && suggest === undefined) {
    command.error('error: nothing to replay: pass --limit 100/1m, --policy, --rules or --suggest')
  }
  const policies = [
    ...limit.map((text) => policyOfLimit(text, algorithm)),
    ...policy.map((text) => policiesOfText(text)),
  ].map((policies) => ({ key, policies }))
  const files = baseline === undefined ? rules : [...new Set([baseline, ...rules])]
  const documents = files.map(async (name) => ({ name, rules: await readRulesFile(name) }))
  return [...policies, ...(await Promise.all(documents))]
}

async function readTable({ table, on }: SimulateCommandOptions): Promise<Table | undefined> {
  return table === undefined ? undefined : tableOf(await readFile(table, 'utf8'), on)
}

function suggestOf({
  suggest: target,
  windows,
  algorithm,
  key,
}: SimulateCommandOptions): SuggestRequest | undefined {
  return target === undefined ? undefined : { target, windows, algorithm, key }
}

function exitCodeOf(
  { log, variants, compared }: Report,
  { failOver = 1, failKeys = Infinity }: SimulateCommandOptions,
): number {
  const isOver =
    compared === undefined
      ? variants.some(
          ({ asked, denied, keysDenied }) => denied > failOver * asked || keysDenied > failKeys,
        )
      : compared.requestsNewlyDenied > failOver * compared.asked ||
        compared.keysNewlyDenied > failKeys
  return isOver ? 3 : log.truncated ? 4 : 0
}
