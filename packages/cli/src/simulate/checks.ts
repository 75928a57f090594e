import type { Policy } from '@sluice/core'
import type { Detected } from './cut/detect.js'
import type { KeyReader } from './keys.js'
import { hasLeases, type VariantReplay } from './replay.js'
import { windowText } from './variants.js'

/** The shortest window that whole seconds say something about. */
const shortestWindowMs = 5000

/**
 * Refuses policies that this log cannot answer.
 *
 * @throws Error with the policy, and what to do
 */
export function checkPolicies(
  variants: readonly VariantReplay[],
  { wholeSeconds, hasDurations }: Detected,
  force: boolean,
): void {
  for (const { name, replay } of variants) {
    const policies = Object.values(replay.policies)
    if (!hasDurations && policies.some(hasLeases)) {
      throw new Error(
        `${name}: a concurrency limit needs to know how long requests took, and the log does not say it. Log $request_time, for example.`,
      )
    }
    const window = Math.min(...policies.map(shortestWindow))
    if (wholeSeconds && !force && window < shortestWindowMs) {
      throw new Error(
        `${name}: the log has whole seconds only, which say little about a window of ${windowText(window)}. Use a log with milliseconds, or --force.`,
      )
    }
  }
}

function shortestWindow(policy: Policy): number {
  const { window, free, then }: Readonly<Record<string, unknown>> = { ...policy }
  if (typeof window === 'number') return window
  return Math.min(...[free, then].filter(isPolicy).map(shortestWindow))
}

function isPolicy(value: unknown): value is Policy {
  return typeof value === 'object' && value !== null && 'kind' in value
}

/**
 * Whether the log has the fields of a key.
 *
 * @throws Error if it does not, and that is not expected
 */
export function checkFields(
  key: KeyReader,
  { cutter }: Detected,
  missing: 'error' | 'skip' | 'absent',
): boolean {
  const absent = key.fields.find((field) => !cutter.has(field))
  if (absent === undefined) return true
  if (missing !== 'error') return false
  throw new Error(
    `--key ${key.text}: the format ${cutter.format} has no field ${JSON.stringify(absent)}. Use another key, or --missing skip.`,
  )
}
