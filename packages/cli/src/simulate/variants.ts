import {
  fixedWindow,
  gcra,
  slidingLog,
  slidingWindow,
  type Policies,
  type Policy,
} from '@sluice/core'
import { checkedPolicy, millisecondsOf } from '@sluice/core/internal'
import type { ShortAlgorithm } from '@sluice/rules/check'
import { parse } from 'yaml'
import { windowText } from '../text/duration.js'
import { statedOptions } from '../text/policy.js'

/** The short form `100/1m` can have the algorithms that take a limit and a window. */
const builders: Readonly<
  Record<ShortAlgorithm, (options: { limit: number; window: string | number }) => Policy>
> = { slidingWindow, fixedWindow, slidingLog, gcra }

export const algorithms: readonly string[] = Object.keys(builders)

/**
 * The policy of a short form such as `100/1m`.
 *
 * @throws Error, or the SluiceError of the builder
 */
export function policyOfLimit(text: string, algorithm: ShortAlgorithm): Policy {
  const parts = /^\s*([\d_]+)\s*\/\s*(.+?)\s*$/.exec(text)
  if (parts === null) {
    throw new Error(`--limit ${text}: expected a number and a window, such as 100/1m`)
  }
  const [, limit, window] = parts
  if (isUnit(window)) {
    throw new Error(`--limit ${text}: the window has no number. Did you mean ${limit}/1${window}?`)
  }
  return limited(algorithm, Number(limit.replaceAll('_', '')), window)
}

/** Whether the text is the unit of a duration without its number, such as `m`. */
function isUnit(text: string): boolean {
  return /^[a-z]+$/.test(text) && millisecondsOf(`1${text}`) !== undefined
}

/** The policy of an algorithm with this limit and window. */
export function limited(algorithm: ShortAlgorithm, limit: number, window: string | number): Policy {
  return builders[algorithm]({ limit, window: /^\d+$/.test(`${window}`) ? Number(window) : window })
}

/**
 * Converts a window such as `1m` to milliseconds, as the builders do.
 *
 * @throws SluiceError if the text is not a window
 */
export function windowMsOf(text: string): number {
  return fixedWindow({ limit: 1, window: /^\d+$/.test(text) ? Number(text) : text }).window
}

/**
 * Parses a policy, or a record of policies, in YAML.
 *
 * @throws Error if the text is not YAML, or not an object; SluiceError if it is not a policy
 */
export function policiesOfText(text: string): Policies {
  let value: unknown
  try {
    value = parse(text)
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : '').split('\n')
    throw new Error(`--policy ${text}: ${reason}`, { cause: error })
  }
  if (!isPolicies(value)) {
    throw new Error(
      `--policy ${text}: expected a policy such as { kind: gcra, limit: 100, window: 1m }`,
    )
  }
  // Without a space, `kind:gcra` is a name without a value.
  const unspaced = Object.entries(value).find(([name, one]) => one === null && name.includes(':'))
  if (unspaced !== undefined) {
    const spaced = unspaced[0].replace(/:\s*/, ': ')
    throw new Error(`--policy ${text}: write a space after each colon, as in { ${spaced}, … }`)
  }
  for (const policy of 'kind' in value ? [value] : Object.values(value)) {
    checkedPolicy(policy, `--policy ${text}`)
  }
  return value
}

/** Checks only the shape. */
function isPolicies(value: unknown): value is Policies {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return 'kind' in value ? typeof value.kind === 'string' : true
}

/** A short name of policies for the report: `slidingWindow 100/1m`. */
export function nameOf(policies: Readonly<Record<string, Policy>>): string {
  return Object.values(policies).map(nameOfPolicy).join(' + ')
}

function nameOfPolicy(policy: Policy): string {
  const { limit, window }: Readonly<Record<string, unknown>> = { ...policy }
  const hasRate = typeof limit === 'number' && typeof window === 'number'
  const texts = statedOptions(policy)
    .filter(({ name }) => !hasRate || (name !== 'limit' && name !== 'window'))
    .map(({ name, value, isDuration }) => {
      return `${name} ${isDuration && typeof value === 'number' ? windowText(value) : textOf(value)}`
    })
  return [policy.kind, ...(hasRate ? [`${limit}/${windowText(window)}`] : []), ...texts].join(' ')
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
