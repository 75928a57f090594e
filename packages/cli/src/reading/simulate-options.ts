import { Option, type Command } from 'commander'
import { formatNames } from '../simulate/log/formats.js'
import type { FormatOptions } from '../simulate/log/format-options.js'
import { prefixes } from '../simulate/log/prefix.js'
import type { SimulateOptions } from '../simulate/options.js'
import type { ShortAlgorithm } from '@sluice/rules/check'
import { algorithms } from '../simulate/variants.js'
import {
  collect,
  readAddressChoice,
  readCount,
  readFields,
  readGrant,
  readSeconds,
  readShare,
  readWindows,
} from './option-values.js'

/** The options of `sluice simulate`. */
export interface SimulateCommandOptions
  extends
    Omit<FormatOptions, 'fields' | 'skipBadLines'>,
    Pick<SimulateOptions, 'baseline' | 'missing' | 'spread' | 'force' | 'sample' | 'top'> {
  readonly limit?: readonly string[]
  readonly algorithm: ShortAlgorithm
  readonly policy?: readonly string[]
  readonly key: string
  readonly grant?: Readonly<Record<string, number>>
  readonly rules?: readonly string[]
  readonly table?: string
  readonly on: string
  readonly suggest?: string
  readonly windows?: readonly number[]
  readonly failOver?: number
  readonly failKeys?: number
  readonly skipBadLines?: number | true
  readonly field?: FormatOptions['fields']
  /** In milliseconds. */
  readonly disorder: number
  readonly json?: boolean | string
  readonly html?: string
  readonly anonymize?: boolean
  readonly quiet?: boolean
}

/** Adds the options of `sluice simulate`. */
export function withSimulateOptions(command: Command): Command {
  return withOutputOptions(withLogOptions(withLimitOptions(command)))
}

function withLimitOptions(command: Command): Command {
  return command
    .option('--limit <limit/window>', 'limit to replay, such as 100/1m; repeatable', collect)
    .addOption(
      new Option('--algorithm <name>', 'algorithm of --limit and --suggest')
        .choices(algorithms)
        .default('slidingWindow'),
    )
    .option(
      '--policy <yaml>',
      'policy to replay, such as "{ kind: gcra, limit: 100, window: 1m, burst: 20 }"; repeatable',
      collect,
    )
    .option(
      '--key <key>',
      'key of --limit, --policy and --suggest: ip, user, method, path, host, header.NAME, field.NAME, or a list such as [user, path]',
      'ip',
    )
    .option(
      '--grant <key=units>',
      'replay --limit and --policy a second time, with so many units more for this key, such as 203.0.113.9=500; repeatable',
      readGrant,
    )
    .option('--rules <file>', 'rules document to replay; repeatable', collect)
    .option(
      '--baseline <file>',
      'rules document in use: report which requests are newly denied and newly allowed',
    )
    .option('--table <file>', 'CSV file with values for rules, such as the plan of each user')
    .option('--on <field>', 'field of the log, and column of --table, that chooses the row', 'user')
    .addOption(
      new Option('--missing <action>', 'if the log has no such field as a key or a rule needs')
        .choices(['error', 'skip', 'absent'])
        .default('error'),
    )
    .option(
      '--suggest <target>',
      'find the lowest limit that denies at most this: requests<=0.1% or keys<=1%',
    )
    .option(
      '--windows <windows>',
      'windows of --suggest, such as 1m,10m,1h (default: 1m)',
      readWindows,
    )
    .option(
      '--fail-over <share>',
      'exit with 3 if a larger share of the requests is denied (with --baseline: newly denied), such as 0.5%',
      readShare,
    )
    .option(
      '--fail-keys <number>',
      'exit with 3 if more keys than this are denied (with --baseline: newly denied)',
      readCount,
    )
}

function withLogOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--format <format>', 'format of the logs').choices(formatNames).default('auto'),
    )
    .option(
      '--log-format <format>',
      'format of the logs: a name, a log_format of nginx, or a LogFormat of Apache',
    )
    .option('--nginx-format <log_format>', 'log_format of nginx that the logs have')
    .option(
      '--address <choice>',
      'the client of a list of forwarded addresses: remote (the connection), first, last, or the number of proxies',
      readAddressChoice,
    )
    .addOption(
      new Option('--prefix <writer>', 'what another program wrote before each line').choices(
        prefixes,
      ),
    )
    .option('--zone <offset>', 'zone of times that state none, such as +02:00 (default: UTC)')
    .option(
      '--skip-bad-lines [share]',
      'leave out lines that do not fit the format, up to this share of them (default: 1% after the first 1,000 lines)',
      readShare,
    )
    .option(
      '--field <names>',
      'names of the fields in JSON lines, such as time=ts,ip=client.address',
      readFields,
    )
    .addOption(
      new Option('--disorder <seconds>', 'how many seconds lines can be out of order')
        .argParser(readSeconds)
        .default(60_000, '60'),
    )
    .option(
      '--no-spread',
      'replay all requests of a second at its start if the log has whole seconds',
    )
    .option('--force', 'replay limits that recover within 5 seconds from a log with whole seconds')
    .addOption(
      new Option('--sample <share>', 'share of the keys to replay, such as 10%')
        .argParser(readShare)
        .default(1, '100%'),
    )
}

function withOutputOptions(command: Command): Command {
  return command
    .option('--top <number>', 'number of keys in each list', readCount, 20)
    .option('--json [file]', 'write the report as JSON to a file, or to the standard output')
    .option('--html <file>', 'write the report as a page that works offline')
    .option(
      '--anonymize',
      'replace keys with hashes that differ in each run, and omit paths and user agents',
    )
    .option('--quiet', 'print no progress')
}
