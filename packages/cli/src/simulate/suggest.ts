import { gcra, type Policy } from '@sluice/core'
import { windowText } from '../text/duration.js'
import { checkFields, checkPolicy, shortestRecoveryMs } from './checks.js'
import { keyReader } from './keys.js'
import type { LogTraits } from './log/detect.js'
import type { Source } from './log/open.js'
import { readLog } from './log/read.js'
import type { SimulateSourcesOptions, SuggestRequest } from './options.js'
import { replayOf } from './policy-replay.js'
import type { Sample } from './sample.js'
import { KeySet } from './tally/key-set.js'
import { KeyTable } from './tally/key-table.js'
import { limited } from './variants.js'

/** The number of policies that one pass over the log replays. */
const candidatesPerPass = 32
/** The greatest limit of the first pass. */
const greatestFirst = 1_000_000
/** The factor by which it grows if it denies too much. */
const greatestFactor = 1000

/**
 * Finds the lowest limit for each window of `--suggest`. It reads the log several times for each.
 *
 * @param sample the keys that are replayed afterwards; another sample would have another limit
 */
export async function suggestedBy(
  sources: readonly Source[],
  options: SimulateSourcesOptions,
  sample: Sample,
  {
    target: text,
    windows = [60_000],
    algorithm = 'slidingWindow',
    key: keyText = 'ip',
  }: SuggestRequest,
): Promise<readonly Policy[]> {
  const streamed = sources.find(({ rereadable }) => !rereadable)
  if (streamed !== undefined) {
    throw new Error(
      `--suggest reads the log several times, and ${streamed.name} can be read only once. Pass a file.`,
    )
  }
  const key = keyReader(keyText)
  const target = targetOf(text)
  const { force = false } = options
  let shortestMs = 0

  function onDetected(detected: LogTraits): void {
    checkFields(key, detected, 'error')
    // Checked before the log is read several times.
    for (const window of windows) {
      const policy = limited(algorithm, 1, window)
      checkPolicy(`--suggest in ${windowText(window)}`, policy, { ...detected, force })
    }
    shortestMs = shortestRecoveryMs({ ...detected, force })
  }

  /** Replays the log against many policies at once. */
  async function measure(policies: readonly Policy[]): Promise<readonly Effect[]> {
    let [now, asked] = [0, 0]
    const keys = new KeyTable()
    const candidates = policies.map((policy) => {
      const { limiter } = replayOf(policy, () => now)
      return { limiter, denied: 0, keysDenied: new KeySet() }
    })
    await readLog(sources, {
      ...options,
      // The replay of the suggested limits shows them.
      onBadLine: undefined,
      onDetected,
      onRecord(record) {
        const text = key.read(record)
        if (text === undefined || !sample.has(text)) return
        now = record.at
        asked++
        const number = keys.add(text)
        for (const candidate of candidates) {
          if (candidate.limiter.consume(text).allowed) continue
          candidate.denied++
          candidate.keysDenied.add(number)
        }
      },
    })
    return candidates.map(({ denied, keysDenied }) => ({
      asked,
      denied,
      keys: keys.size,
      keysDenied: keysDenied.size,
    }))
  }

  const policies: Policy[] = []
  for (const window of windows) {
    const ofLimits: Measure = async (limits) =>
      measure(limits.map((limit) => limited(algorithm, limit, window)))
    const limit = await leastWithin(target, await geometric(target, ofLimits), ofLimits)
    if (algorithm !== 'gcra') {
      policies.push(limited(algorithm, limit, window))
      continue
    }
    // The smallest burst with that limit.
    const ofBursts: Measure = async (bursts) =>
      measure(bursts.map((burst) => gcra({ limit, window, burst })))
    const denying = Math.max(0, Math.ceil((shortestMs * limit) / window) - 1)
    const burst = await leastWithin(target, { denying, sufficient: limit }, ofBursts)
    policies.push(gcra({ limit, window, burst }))
  }
  return policies
}

/** The largest share that a suggested limit denies. */
interface Target {
  /** A share of the requests, or of the keys. */
  readonly of: 'requests' | 'keys'
  readonly share: number
}

/**
 * Reads `requests<=0.1%` or `keys<=1%`.
 *
 * @throws Error if the text is neither
 */
function targetOf(text: string): Target {
  const match = /^\s*(requests|keys)\s*<=\s*(\d+(?:\.\d+)?)\s*(%?)\s*$/.exec(text)
  const share = match === null ? Number.NaN : Number(match[2]) / (match[3] === '%' ? 100 : 1)
  if (match === null || !(share >= 0 && share < 1)) {
    throw new Error(`--suggest ${text}: expected requests<=0.1% or keys<=1%`)
  }
  return { of: match[1] === 'keys' ? 'keys' : 'requests', share }
}

/** The denials of one limit. */
interface Effect {
  readonly asked: number
  readonly denied: number
  readonly keys: number
  readonly keysDenied: number
}

function isWithin({ of, share }: Target, effect: Effect): boolean {
  return of === 'keys'
    ? effect.keysDenied <= share * effect.keys
    : effect.denied <= share * effect.asked
}

/** A limit that denies too much, and a higher one that does not. */
interface Bracket {
  readonly denying: number
  readonly sufficient: number
}

type Measure = (limits: readonly number[]) => Promise<readonly Effect[]>

/** Tries limits that grow by a constant factor. */
async function geometric(target: Target, measure: Measure): Promise<Bracket> {
  let bracket: Bracket = { denying: 0, sufficient: Infinity }
  for (let greatest = greatestFirst; bracket.sufficient === Infinity; greatest *= greatestFactor) {
    const limits = geometricLimits(bracket.denying + 1, greatest)
    bracket = await narrowed(bracket, limits, target, measure)
  }
  return bracket
}

function geometricLimits(least: number, greatest: number): readonly number[] {
  const factor = (greatest / least) ** (1 / (candidatesPerPass - 1))
  const limits = new Set<number>()
  for (let i = 0; i < candidatesPerPass; i++) limits.add(Math.round(least * factor ** i))
  return [...limits]
}

/** Tries limits at equal distances within the bracket until one is left. */
async function leastWithin(target: Target, bracket: Bracket, measure: Measure): Promise<number> {
  let rest = bracket
  while (rest.sufficient - rest.denying > 1) {
    rest = await narrowed(rest, linearLimits(rest), target, measure)
  }
  return rest.sufficient
}

/** Tries limits within a bracket, and returns the part of it that has the least sufficient limit. */
async function narrowed(
  { denying, sufficient }: Bracket,
  limits: readonly number[],
  target: Target,
  measure: Measure,
): Promise<Bracket> {
  const effects = await measure(limits)
  const found = effects.findIndex((effect) => isWithin(target, effect))
  const last = found === -1 ? limits.length : found
  return { denying: limits[last - 1] ?? denying, sufficient: limits[last] ?? sufficient }
}

/** Limits strictly within the bracket. */
function linearLimits({ denying, sufficient }: Bracket): readonly number[] {
  const between = sufficient - denying - 1
  const count = Math.min(between, candidatesPerPass)
  return Array.from({ length: count }, (_, i) => denying + Math.ceil(((i + 1) * between) / count))
}
