import { gcra, type Policy } from '@sluice/core'
import type { LogRecord } from '../cut/record.js'
import type { KeyReader } from '../keys.js'
import type { Sample } from '../sample.js'
import type { ShortAlgorithm } from '@sluice/rules/check'
import { limited } from '../variants.js'
import { createCandidates } from './candidates.js'
import { WindowHistogram } from './histogram.js'
import { isWithin, type Effect, type Target } from './target.js'

export interface SuggestOptions {
  readonly target: Target
  readonly algorithm: ShortAlgorithm
  /** In milliseconds. */
  readonly windows: readonly number[]
  readonly key: KeyReader
  readonly sample: Sample
}

/** The lowest limit that denies at most what the target allows. */
export interface SuggestedLimit {
  readonly algorithm: ShortAlgorithm
  readonly windowMs: number
  readonly limit: number
  /** For `gcra`: the smallest burst with that limit. */
  readonly burst?: number
  readonly policy: Policy
}

/** Reads the log once, and calls `push` with each request. */
export type Pass = (push: (record: LogRecord) => void) => Promise<PassResult>

export interface PassResult {
  /** The shortest recovery of a limit that the log can answer. */
  readonly shortestRecoveryMs: number
}

/** The number of policies that one pass over the log replays. */
const candidatesPerPass = 32
/** The greatest limit of the first pass. */
const greatestFirst = 1_000_000
/** The factor by which it grows if it denies too much. */
const greatestFactor = 1000

/** Finds the lowest limit for each window. It reads the log several times for each. */
export async function suggestLimits(
  options: SuggestOptions,
  pass: Pass,
): Promise<readonly SuggestedLimit[]> {
  const suggestions: SuggestedLimit[] = []
  for (const windowMs of options.windows)
    suggestions.push(await suggestLimit(options, windowMs, pass))
  return suggestions
}

async function suggestLimit(
  options: SuggestOptions,
  windowMs: number,
  pass: Pass,
): Promise<SuggestedLimit> {
  const { algorithm, target, key, sample } = options
  if (algorithm === 'fixedWindow') {
    const histogram = new WindowHistogram(windowMs, key, sample)
    await pass((record) => histogram.push(record))
    histogram.close()
    const effectOf = (limits: readonly number[]): Promise<readonly Effect[]> =>
      Promise.resolve(limits.map((limit) => histogram.effectOf(limit)))
    const bracket = { denying: 0, sufficient: Math.max(1, histogram.greatest) }
    const limit = await leastWithin(target, bracket, effectOf)
    return { algorithm, windowMs, limit, policy: limited(algorithm, limit, windowMs) }
  }

  let shortestMs = 0
  const measure = async (policies: readonly Policy[]): Promise<readonly Effect[]> => {
    const candidates = createCandidates(key, sample, policies)
    const { shortestRecoveryMs } = await pass((record) => candidates.push(record))
    shortestMs = shortestRecoveryMs
    return candidates.effects()
  }
  const ofLimits = (limits: readonly number[]): Promise<readonly Effect[]> =>
    measure(limits.map((limit) => limited(algorithm, limit, windowMs)))
  const limit = await leastWithin(target, await geometric(target, ofLimits), ofLimits)
  if (algorithm !== 'gcra') {
    return { algorithm, windowMs, limit, policy: limited(algorithm, limit, windowMs) }
  }
  const ofBursts = (bursts: readonly number[]): Promise<readonly Effect[]> =>
    measure(bursts.map((burst) => gcra({ limit, window: windowMs, burst })))
  const smallest = Math.ceil((shortestMs * limit) / windowMs)
  const denying = Math.max(0, smallest - 1)
  const burst = await leastWithin(target, { denying, sufficient: limit }, ofBursts)
  return { algorithm, windowMs, limit, burst, policy: gcra({ limit, window: windowMs, burst }) }
}

/** A limit that denies too much, and a higher one that does not. */
interface Bracket {
  readonly denying: number
  readonly sufficient: number
}

type Measure = (limits: readonly number[]) => Promise<readonly Effect[]>

/** Tries limits that grow by a constant factor. */
async function geometric(target: Target, measure: Measure): Promise<Bracket> {
  let denying = 0
  let greatest = greatestFirst
  for (;;) {
    const limits = geometricLimits(denying + 1, greatest)
    const effects = await measure(limits)
    const found = effects.findIndex((effect) => isWithin(target, effect))
    if (found !== -1) return { denying: limits[found - 1] ?? denying, sufficient: limits[found] }
    denying = greatest
    greatest *= greatestFactor
  }
}

function geometricLimits(least: number, greatest: number): readonly number[] {
  const factor = (greatest / least) ** (1 / (candidatesPerPass - 1))
  const limits = new Set<number>()
  for (let i = 0; i < candidatesPerPass; i++) limits.add(Math.round(least * factor ** i))
  return [...limits]
}

/** Tries limits at equal distances within the bracket until one is left. */
async function leastWithin(target: Target, bracket: Bracket, measure: Measure): Promise<number> {
  let { denying, sufficient } = bracket
  while (sufficient - denying > 1) {
    const limits = linearLimits(denying, sufficient)
    const effects = await measure(limits)
    const found = effects.findIndex((effect) => isWithin(target, effect))
    const last = found === -1 ? limits.length : found
    denying = limits[last - 1] ?? denying
    sufficient = limits[last] ?? sufficient
  }
  return sufficient
}

/** Limits strictly within the bracket. */
function linearLimits(denying: number, sufficient: number): readonly number[] {
  const between = sufficient - denying - 1
  const count = Math.min(between, candidatesPerPass)
  return Array.from({ length: count }, (_, i) => denying + Math.ceil(((i + 1) * between) / count))
}
