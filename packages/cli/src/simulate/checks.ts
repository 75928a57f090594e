import type { Policy } from '@sluice/core'
import { windowText } from '../text/duration.js'
import type { LogTraits } from './log/detect.js'
import { fieldNames } from './log/json.js'
import type { KeyReader } from './keys.js'
import { traitsOf } from './policy-replay.js'

/** The properties of a log that determine whether a policy can be replayed from it. */
export interface LogPrecision extends Pick<LogTraits, 'wholeSeconds' | 'hasDurations'> {
  /** Whether limits that recover within seconds are replayed from a log with whole seconds. */
  readonly force: boolean
}

/** A log with whole seconds is too coarse for limits that recover faster than this. */
const shortestMs = 5000

/**
 * Refuses a policy that the log cannot answer.
 *
 * @param name names the limit in the error
 * @throws Error with what to do
 */
export function checkPolicy(name: string, policy: Policy, precision: LogPrecision): void {
  const { recoveryMs, hasLeases } = traitsOf(policy)
  if (!precision.hasDurations && hasLeases) {
    throw new Error(
      `${name}: a concurrency limit needs the duration of each request, and the log does not have it. Log $request_time, for example.`,
    )
  }
  if (recoveryMs >= shortestRecoveryMs(precision)) return
  throw new Error(
    `${name}: the log has whole seconds, which say little about a limit that recovers within ${windowText(recoveryMs)}. Use a log with milliseconds, or pass --force.`,
  )
}

/** The shortest recovery of a limit that the log can answer. */
export function shortestRecoveryMs({
  wholeSeconds,
  force,
}: Pick<LogPrecision, 'wholeSeconds' | 'force'>): number {
  return wholeSeconds && !force ? shortestMs : 0
}

/**
 * Whether the log has the fields of a key.
 *
 * @throws Error if it does not, and `missing` is `error`
 */
export function checkFields(
  key: KeyReader,
  detected: LogTraits,
  missing: 'error' | 'skip' | 'absent',
): boolean {
  const absent = key.fields.find((field) => !detected.hasKey(field))
  if (absent === undefined) return true
  if (missing !== 'error') return false
  const name = fieldNames.find((field) => field === absent)
  const named = name === undefined ? '' : `name it if the lines are JSON (--field ${name}=NAME), `
  throw new Error(
    `--key ${key.text}: the format ${detected.format} has no field ${JSON.stringify(absent)}. Use another key, ${named}or pass --missing skip.`,
  )
}
