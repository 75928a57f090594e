import { readFile, writeFile } from 'node:fs/promises'
import { readRulesFile } from '@sluice/rules'
import type { Command } from 'commander'
import { visibleJson } from '../text/visible.js'
import { withSimulateOptions, type SimulateCommandOptions } from '../reading/simulate-options.js'
import { fileSource, streamSource, type Source } from '../simulate/log/open.js'
import type { NamedVariant, SuggestRequest } from '../simulate/options.js'
import { anonymized } from '../simulate/report/anonymize.js'
import { reportAsHtml } from '../simulate/report/html.js'
import type { Report } from '../simulate/report/report.js'
import { reportAsText } from '../simulate/report/table.js'
import type { Table } from '../simulate/rules/facts.js'
import { tableOf } from '../simulate/rules/table.js'
import { simulateSources } from '../simulate/simulate.js'
import { policiesOfText, policyOfLimit } from '../simulate/variants.js'
import { createProgress, createProgressLine } from '../output/progress.js'
import type { Terminal } from '../terminal.js'

/** Adds `sluice simulate`. */
export function addSimulate(program: Command, terminal: Terminal): void {
  const command = program
    .command('simulate')
    .summary('replay access logs against limits')
    .description(
      'Replay access logs against limits, in the time of the logs. The report says which requests and which clients each limit would have denied.',
    )
    .argument(
      '<logs...>',
      'access logs, optionally compressed with gzip; "-" is the standard input',
    )
  withSimulateOptions(command)
    .addHelpText('after', help)
    .action((logs: string[], options: SimulateCommandOptions, own: Command) =>
      simulate(logs, options, own, terminal),
    )
}

const help = `
Exit code:
  0  the log was replayed
  1  wrong options, or a file that cannot be read
  3  more requests or keys are denied than --fail-over or --fail-keys allow,
     or one of these options is set and some requests could not be judged
  4  a compressed log is truncated; the report covers the part before

Examples:
  sluice simulate access.log --limit 100/1m --limit 60/1m
  sluice simulate access.log --suggest 'keys<=1%' --windows 1m,1h
  sluice simulate access.log --rules rules.yaml --baseline deployed.yaml --fail-over 0.5%
  sluice simulate access.log.gz --key user --limit 1000/1h --algorithm gcra
  zcat access.log.*.gz | sluice simulate - --policy "{ kind: gcra, limit: 100, window: 1m, burst: 20 }"`

async function simulate(
  logs: readonly string[],
  options: SimulateCommandOptions,
  command: Command,
  terminal: Terminal,
): Promise<void> {
  const started = performance.now()
  const variants = await variantsOf(options, command)
  const sources = await Promise.all(logs.map((path) => sourceOf(path, terminal)))
  const report = await replayed(sources, variants, options, terminal)
  const shown = options.anonymize === true ? anonymized(report) : report
  const text = await writeReport(shown, options, performance.now() - started)
  terminal.stdout.write(text)
  terminal.exitCode = exitCodeOf(shown, options)
}

async function variantsOf(
  {
    key,
    limit = [],
    algorithm,
    policy = [],
    grant,
    suggest,
    rules = [],
    baseline,
  }: SimulateCommandOptions,
  command: Command,
): Promise<readonly NamedVariant[]> {
  if (limit.length + policy.length + rules.length === 0 && suggest === undefined) {
    command.error('error: nothing to replay: pass --limit 100/1m, --policy, --rules or --suggest')
  }
  const policies = [
    ...limit.map((text) => policyOfLimit(text, algorithm)),
    ...policy.map((text) => policiesOfText(text)),
  ]
  if (grant !== undefined && policies.length === 0) {
    command.error('error: --grant needs --limit or --policy')
  }
  const files = baseline === undefined ? rules : [baseline, ...rules]
  const documents = files.map(async (name) => ({ name, rules: await readRulesFile(name) }))
  const grants = grant === undefined ? [undefined] : [undefined, grant]
  const variants = policies.flatMap((own) =>
    grants.map((given) => ({ key, policies: own, grants: given })),
  )
  return [...variants, ...(await Promise.all(documents))]
}

async function sourceOf(path: string, { stdin }: Terminal): Promise<Source> {
  return path === '-' ? streamSource('standard input', stdin) : fileSource(path)
}

async function replayed(
  sources: readonly Source[],
  variants: readonly NamedVariant[],
  options: SimulateCommandOptions,
  { stderr }: Terminal,
): Promise<Report> {
  const line = createProgressLine(stderr)
  try {
    return await simulateSources(sources, {
      ...options,
      disorderMs: options.disorder,
      skipBadLines: options.skipBadLines === true ? 1 : options.skipBadLines,
      onBadLine(text) {
        line.clear()
        stderr.write(`${text}\n`)
      },
      fields: options.field,
      variants,
      table: await readTable(options),
      suggest: suggestOf(options),
      onProgress:
        options.quiet === true ? undefined : createProgress(line, () => performance.now()),
    })
  } finally {
    line.clear()
  }
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

/** Writes the files of the report, and returns the text for the standard output. */
async function writeReport(
  report: Report,
  { json, html }: SimulateCommandOptions,
  tookMs: number,
): Promise<string> {
  const asJson = `${visibleJson(report)}\n`
  if (typeof json === 'string') await writeFile(json, asJson)
  if (html !== undefined) await writeFile(html, await reportAsHtml(report))
  return json === true ? asJson : reportAsText(report, { tookMs })
}

function exitCodeOf(
  { log, variants, compared, unjudged = 0 }: Report,
  { failOver = 1, failKeys = Infinity }: SimulateCommandOptions,
): number {
  // No limit counted these requests, so the other numbers do not show what the limits deny.
  const isUnsure = unjudged > 0 && (failOver < 1 || failKeys < Infinity)
  const isOver =
    compared === undefined
      ? variants.some(
          ({ asked, denied, keysDenied }) => denied > failOver * asked || keysDenied > failKeys,
        )
      : compared.requestsNewlyDenied > failOver * compared.asked ||
        compared.keysNewlyDenied > failKeys
  return isOver || isUnsure ? 3 : log.truncated ? 4 : 0
}
