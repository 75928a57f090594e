import type { Readable } from 'node:stream'
import type { Policies } from '@sluice/core'
import type { FormatOptions } from './cut/detect.js'
import { keyReader } from './keys.js'
import { readLog, type LogFacts, type ReadProgress, type ReadOptions } from './read-log.js'
import { fileSource, streamSource, type Source } from './input/open.js'
import { createGroupReplay, type GroupReplay, type NamedVariant } from './replay.js'
import { rounded, variantReport } from './report/build.js'
import { notesOf } from './report/notes.js'
import type { LogReport, Report, Suggestion, VariantReport } from './report/report.js'
import { createSample, type Sample } from './sample.js'
import { suggestLimits, type SuggestedLimit } from './suggest/suggest.js'
import { targetOf } from './suggest/target.js'
import { durationText, type ShortAlgorithm } from './variants.js'
import { checkFields, checkPolicies } from './checks.js'

/** A log: the path of a file, several of them, or a stream. Each may be compressed with gzip. */
export type Log = string | readonly string[] | Readable

export interface SimulateOptions extends FormatOptions {
  readonly log: Log
  /** What to replay the log against. Each variant has counts of its own. */
  readonly variants?: Readonly<Record<string, SimulatedVariant>>
  /** Also finds the least limits that deny no more than this, and replays them. The log has to be a file, because it is read several times. */
  readonly suggest?: SuggestRequest | undefined
  /**
   * By how much lines may be out of order, in milliseconds.
   *
   * @default 60_000
   */
  readonly disorderMs?: number | undefined
  /**
   * Whether the requests of one second are spread over it, if the log has whole seconds only.
   *
   * @default true
   */
  readonly spread?: boolean | undefined
  /**
   * Whether windows shorter than 5 seconds may be replayed from a log with whole seconds.
   *
   * @default false
   */
  readonly force?: boolean | undefined
  /**
   * What to do about a key whose field the log's format does not have: throw, or replay the other variants.
   *
   * @default 'error'
   */
  readonly missing?: 'error' | 'skip' | 'absent' | undefined
  /**
   * The share of the keys to replay, from 0 to 1. All requests of a chosen key are replayed.
   *
   * @default 1
   */
  readonly sample?: number | undefined
  /**
   * The number of keys in each list of the report.
   *
   * @default 20
   */
  readonly top?: number | undefined
  /** Called after each part of the log that was read. */
  readonly onProgress?: ((progress: ReadProgress) => void) | undefined
}

export interface SuggestRequest {
  /** `requests<=0.1%`, a share of the requests, or `keys<=1%`, a share of the keys. */
  readonly target: string
  /**
   * In milliseconds.
   *
   * @default [60_000]
   */
  readonly windows?: readonly number[] | undefined
  /** @default 'slidingWindow' */
  readonly algorithm?: ShortAlgorithm | undefined
  /** @default 'ip' */
  readonly key?: string | undefined
}

export interface SimulatedVariant {
  readonly policies: Policies
  /**
   * The key: a field of the request, or a list such as `[user, path]`.
   *
   * @default 'ip'
   */
  readonly key?: string
}

/**
 * Replays an access log against policies, in the log's own time.
 *
 * @example
 * const report = await simulate({ log: 'access.log', variants: { a: { policies: slidingWindow({ limit: 100, window: '1m' }) } } })
 * console.log(report.variants[0].denied)
 * @throws Error if the log cannot be read, or has no known format; SluiceError if a policy is invalid
 */
export async function simulate(options: SimulateOptions): Promise<Report> {
  const { log, variants = {}, ...others } = options
  const named = Object.entries(variants).map(([name, variant]) => ({ name, ...variant }))
  return await simulateSources(await sourcesOf(log), { ...others, variants: named })
}

/** `simulate` with variants in a list. A variant without a name is named after its policies. */
export async function simulateSources(
  sources: readonly Source[],
  options: SimulateSourcesOptions,
): Promise<Report> {
  const { sample = 1, top = 20, suggest } = options
  const suggested = suggest === undefined ? [] : await suggestedBy(sources, options, suggest)
  const given = [
    ...options.variants,
    ...suggested.map(({ policy }) => ({ policies: policy, key: suggest?.key })),
  ]
  const groups = groupsOf(given, createSample(sample))
  const facts = await replayGroups(sources, options, groups)
  const reports = new Map(
    groups.flatMap((group) =>
      group.variants.map((variant) => [variant.given, variantReport(group, variant, top)]),
    ),
  )
  const variants = given.flatMap((variant) => reports.get(variant) ?? [])
  const log = logReport(facts, sample)
  return {
    version: 1,
    log,
    variants,
    ...(suggest === undefined
      ? {}
      : { suggestion: suggestionsOf(suggested, variants.slice(options.variants.length)) }),
    notes: notesOf(log, variants, groups),
  }
}

async function suggestedBy(
  sources: readonly Source[],
  options: SimulateSourcesOptions,
  { target, windows = [60_000], algorithm = 'slidingWindow', key = 'ip' }: SuggestRequest,
): Promise<readonly SuggestedLimit[]> {
  const streamed = sources.find(({ rereadable }) => !rereadable)
  if (streamed !== undefined) {
    throw new Error(`--suggest reads the log several times, and ${streamed.name} can be read once: pass a file`)
  }
  const reader = keyReader(key)
  const sample = createSample(options.sample ?? 1)
  const request = { target: targetOf(target), windows, algorithm, key: reader, sample }
  return await suggestLimits(request, async (onRecord) => {
    await readLog(sources, {
      ...options,
      onRecord,
      onDetected: (detected) => checkFields(reader, detected, 'error'),
    })
  })
}

/** The shares are those that the suggested limits denied when they were replayed. */
function suggestionsOf(
  suggested: readonly SuggestedLimit[],
  variants: readonly VariantReport[],
): readonly Suggestion[] {
  return suggested.map(({ algorithm, windowMs, limit, burst }, i) => {
    const { asked, denied, keysDenied } = variants[i]
    return {
      algorithm,
      window: durationText(windowMs),
      limit,
      ...(burst === undefined ? {} : { burst }),
      share: rounded(asked === 0 ? 0 : denied / asked),
      keys: keysDenied,
    }
  })
}

export interface SimulateSourcesOptions extends Omit<SimulateOptions, 'log' | 'variants'> {
  readonly variants: readonly NamedVariant[]
}

/** Replays a log once, for all groups of variants. */
export async function replayGroups(
  sources: readonly Source[],
  options: Omit<ReadOptions, 'onRecord' | 'onDetected'> & Pick<SimulateOptions, 'force' | 'missing'>,
  groups: readonly GroupReplay[],
): Promise<LogFacts> {
  const { force = false, missing = 'error' } = options
  let replayed = groups
  return await readLog(sources, {
    ...options,
    onDetected(detected) {
      for (const { variants } of groups) checkPolicies(variants, detected, force)
      replayed = groups.filter(({ key }) => checkFields(key, detected, missing))
    },
    onRecord(record) {
      for (let i = 0; i < replayed.length; i++) replayed[i].push(record)
    },
  })
}

export async function sourcesOf(log: Log): Promise<readonly Source[]> {
  if (typeof log === 'string') return [await fileSource(log)]
  if (!isList(log)) return [streamSource('the stream', log)]
  if (log.length === 0) throw new Error('simulate: the list of logs is empty')
  return await Promise.all(log.map((path) => fileSource(path)))
}

function isList(log: Exclude<Log, string>): log is readonly string[] {
  return Array.isArray(log)
}

/** Variants with one key are replayed together, so that the key is read and counted once. */
function groupsOf(variants: readonly NamedVariant[], sample: Sample): readonly GroupReplay[] {
  if (variants.length === 0) throw new Error('simulate: expected at least one variant')
  const byKey = new Map<string, NamedVariant[]>()
  for (const variant of variants) {
    const key = (variant.key ?? 'ip').trim()
    byKey.set(key, [...(byKey.get(key) ?? []), variant])
  }
  return [...byKey].map(([text, same]) => createGroupReplay(keyReader(text), same, sample))
}

export function logReport(facts: LogFacts, sampled: number): LogReport {
  return { ...facts, skipped: Object.fromEntries(facts.skipped), sampled }
}
