import { Option, type Command } from 'commander'
import { collect } from './option-values.js'
import { pair, type NameAndText } from './request.js'

/** The options that say where the counts of keys are. */
export interface TargetOptions {
  readonly redis?: string
  readonly cluster?: boolean
  readonly prefix?: string
  readonly limiters?: string
  readonly rules?: string
  readonly url?: string
  readonly header?: readonly NameAndText[]
  readonly limiter?: string
}

/** The options that say which counts of a key a command concerns. */
export interface KeyOptions extends TargetOptions {
  readonly policy?: readonly string[]
  readonly variant?: readonly string[]
  readonly counted?: boolean
  readonly json?: boolean
}

type Env = Readonly<Record<string, string | undefined>>

/** Adds the options that say where the counts are. */
export function withTargetOptions(command: Command): Command {
  return withPlaceOptions(command)
    .option('--limiters <file>', 'ES module that exports the limiters, or their options')
    .option('--rules <file>', 'rules document whose limits are counted')
    .option('--limiter <name>', 'name of one of the limiters')
}

/** Adds the options of a command that needs no limiters: the Redis server or the page. */
export function withPlaceOptions(command: Command): Command {
  return command
    .option('--redis <url>', 'Redis server of the application, such as redis://localhost:6379')
    .option('--cluster', 'the Redis server is a node of a Redis Cluster')
    .option('--prefix <prefix>', 'prefix of the keys in Redis, if the application sets one')
    .addOption(
      new Option(
        '--url <url>',
        'URL of a dashboard of the application, in place of Redis',
      ).conflicts(['redis', 'cluster', 'prefix', 'limiters', 'rules', 'policy', 'variant']),
    )
    .option(
      '--header <name: value>',
      'header of each request to --url; repeatable',
      pair(':', 'name: value'),
    )
}

/** Adds the options of a command about one key. */
export function withKeyOptions(command: Command): Command {
  return withTargetOptions(command)
    .option('--policy <name>', 'only this policy of the limiter; repeatable', collect)
    .option(
      '--variant <reason>',
      'only this limit of a rule with several, such as "plan pro"; repeatable',
      collect,
    )
    .option('--counted', 'the key can only be one that events or the page show, such as |user|42')
    .option('--json', 'print JSON')
}

/**
 * Completes the options from the environment. A URL may contain a password, which does not belong in the history of a shell.
 *
 * @param places the options that name a place, in words
 * @throws Error if neither Redis nor a page is named
 */
export function placeOf<O extends TargetOptions>(
  options: O,
  env: Env,
  places = '--redis with --limiters or --rules, or --url of a dashboard',
): O {
  const { redis, url, limiters } = options
  if (redis !== undefined || url !== undefined) return withAuthorization(options, env)
  const { SLUICE_REDIS = '', SLUICE_URL = '' } = env
  const hasFiles = limiters !== undefined || options.rules !== undefined
  if (SLUICE_REDIS !== '' && (SLUICE_URL === '' || hasFiles))
    return { ...options, redis: SLUICE_REDIS }
  if (SLUICE_URL !== '' && !hasFiles) return withAuthorization({ ...options, url: SLUICE_URL }, env)
  if (limiters !== undefined) return options
  throw new Error(
    `state where the counts are: ${places}. The variables SLUICE_REDIS and SLUICE_URL replace these options`,
  )
}

function withAuthorization<O extends TargetOptions>(
  options: O,
  { SLUICE_AUTHORIZATION = '' }: Env,
): O {
  const { url, header = [] } = options
  if (url === undefined || SLUICE_AUTHORIZATION === '') return options
  return { ...options, header: [['authorization', SLUICE_AUTHORIZATION], ...header] }
}
