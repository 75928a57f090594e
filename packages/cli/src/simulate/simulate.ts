import type { LogTraits } from './log/detect.js'
import { fileSource, streamSource, type Source } from './log/open.js'
import { checkFields, checkPolicy } from './checks.js'
import type { Log, NamedVariant, SimulateOptions, SimulateSourcesOptions } from './options.js'
import { readLog, type LogFacts } from './log/read.js'
import { createGroups, type GroupReplay } from './replay.js'
import { requestsReport, variantReport } from './report/build.js'
import { notesOf } from './report/notes.js'
import type { Report } from './report/report.js'
import { createRulesSimulation, type RulesSimulation } from './rules/simulation.js'
import { createSample } from './sample.js'
import { suggestedBy } from './suggest.js'
import { Timeline } from './tally/timeline.js'

/**
 * Replays an access log against policies, in the time of the log.
 *
 * @example
 * const report = await simulate({ log: 'access.log', variants: { a: { policies: slidingWindow({ limit: 100, window: '1m' }) } } })
 * console.log(report.variants[0].denied)
 * @throws Error if the log cannot be read, or has no known format; SluiceError if a policy is invalid
 */
export async function simulate(options: SimulateOptions): Promise<Report> {
  const { log, variants = {}, ...others } = options
  const named = Object.entries(variants).map(([name, variant]) => Object.assign({ name }, variant))
  return simulateSources(await sourcesOf(log), { ...others, variants: named })
}

/** `simulate` with variants in a list. A variant without a name is named after its policies. */
export async function simulateSources(
  sources: readonly Source[],
  options: SimulateSourcesOptions,
): Promise<Report> {
  const { sample: share = 1, top = 20, suggest } = options
  const sample = createSample(share)
  const suggested =
    suggest === undefined ? [] : await suggestedBy(sources, options, sample, suggest)
  const given: readonly NamedVariant[] = [
    ...options.variants,
    ...suggested.map((policies) => ({ policies, key: suggest?.key, suggested: true })),
  ]
  if (given.length === 0) throw new Error('simulate: expected at least one variant')
  const timeline = new Timeline()
  const requests = timeline.series()
  const groups = createGroups(given, sample, timeline)
  const rules = createRulesSimulation(given, { ...options, sample, timeline })
  const facts = await replayed(sources, options, groups, rules, ({ at }) => {
    requests[timeline.at(at)]++
  })
  const reports = new Map([
    ...groups.flatMap((group) =>
      group.variants.map((variant) => [variant.given, variantReport(group, variant, top)] as const),
    ),
    ...rules.reports(top),
  ])
  const variants = given.flatMap((variant) => reports.get(variant) ?? [])
  const { zoneless, listEntry, ...read } = facts
  const log = { ...read, skipped: Object.fromEntries(facts.skipped), sampled: share }
  const compared = rules.compared(top)
  return {
    version: 1,
    log,
    intervalMs: timeline.widthMs,
    requests: requestsReport(timeline, requests),
    variants,
    ...(compared === undefined ? {} : { compared }),
    ...(rules.unjudged() === 0 ? {} : { unjudged: rules.unjudged() }),
    notes: [...notesOf(log, { zoneless, listEntry }, variants, groups), ...rules.notes()],
  }
}

/** Replays a log once, for all variants. `count` is called with each request. */
async function replayed(
  sources: readonly Source[],
  options: SimulateSourcesOptions,
  groups: readonly GroupReplay[],
  rules: RulesSimulation,
  count: GroupReplay['push'],
): Promise<LogFacts> {
  const { force = false, missing = 'error' } = options
  const pushes = [count]

  async function begin(detected: LogTraits): Promise<void> {
    for (const { key, variants, push } of groups) {
      for (const { name, replay } of variants) {
        for (const policy of Object.values(replay.policies)) {
          checkPolicy(name, policy, { ...detected, force })
        }
      }
      if (checkFields(key, detected, missing)) pushes.push(push)
    }
    const pushRules = await rules.begin(detected, { missing, force })
    if (pushRules !== undefined) pushes.push(pushRules)
  }

  return readLog(sources, {
    ...options,
    onDetected: begin,
    onRecord(record) {
      for (let i = 0; i < pushes.length; i++) pushes[i](record)
    },
  })
}

async function sourcesOf(log: Log): Promise<readonly Source[]> {
  if (typeof log === 'string') return [await fileSource(log)]
  if (!isList(log)) return [streamSource('the stream', log)]
  if (log.length === 0) throw new Error('simulate: the list of logs is empty')
  return Promise.all(log.map((path) => fileSource(path)))
}

function isList(log: Exclude<Log, string>): log is readonly string[] {
  return Array.isArray(log)
}
