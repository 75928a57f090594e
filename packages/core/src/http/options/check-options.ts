import { sluiceError } from '../../errors.js'
import { awayOptions } from '../../limiter/limiter-options.js'
import {
  checked,
  duration,
  isCount,
  oneOf,
  optional,
  readOptions,
  shortDuration,
  type OptionReader,
} from '../../options/readers.js'
import { isPolicy } from '../../policy.js'
import { storeOption } from '../../options/store-option.js'
import { didYouMean } from '../../options/unknown-option.js'
import type { HeaderStyle } from '../answer/header-fields.js'
import type { RateLimitOptions } from './options.js'
import { uncalledKey } from '../keys/uncalled-key.js'

/**
 * Looks at each option and at those that exclude each other; what is missing is found by `planOf`.
 *
 * @throws SluiceError where an option is unknown or wrong, or where two exclude each other
 */
export function checkOptions<R, H>(options: RateLimitOptions<R, H>): void {
  readOptions('rateLimit', options, readers)
  for (const [first, second, advice] of conflicts) {
    if (options[first] !== undefined && options[second] !== undefined) {
      throw sluiceError('SLUICE_OPTIONS_CONFLICT', 'rateLimit', first, second, advice)
    }
  }
  assertStyles(options.headers)
}

/** Finds two styles of a list that would write the same header, each in its own form. */
function assertStyles(headers: HeaderStyle | readonly HeaderStyle[] = []): void {
  if (typeof headers === 'string') return
  for (const conflicting of conflictingStyles) {
    const [first, second] = conflicting.filter((style) => headers.includes(style))
    if (second !== undefined) {
      const advice =
        'As "headers", both write the same header in forms of their own, or one writes none'
      throw sluiceError('SLUICE_OPTIONS_CONFLICT', 'rateLimit', first, second, advice)
    }
  }
}

/**
 * Looks at an option that an adapter has besides.
 *
 * @throws SluiceError SLUICE_OPTION_INVALID where it is none of those
 */
export function assertOneOf(option: string, value: unknown, known: readonly unknown[]): void {
  if (known.includes(value)) return
  const expected = known.map((one) => JSON.stringify(one)).join(' or ')
  throw sluiceError('SLUICE_OPTION_INVALID', 'rateLimit', option, value, expected)
}

type OptionName = keyof RateLimitOptions<unknown, unknown>

const styles: readonly HeaderStyle[] = [
  'draft',
  'draft-7',
  'draft-6',
  'legacy',
  'legacy-epoch',
  'none',
]
const someStyles = `${styles.map((style) => `'${style}'`).join(', ')}, or a list of these such as ['draft', 'legacy']`

const someEntries = 'a list of addresses, ranges and keys, or accessList([…])'

const readers: Readonly<Record<OptionName, OptionReader<unknown>>> = {
  limit: given(
    'a whole number, 0 or more, below 2^53, or a function from the request to one',
    (value) => isCount(value) || isFunction(value),
  ),
  window: optional<unknown>(duration, undefined),
  algorithm: given('a builder that takes { limit, window }, such as gcra', isFunction),
  policy: given(
    'one policy, such as slidingWindow({ limit: 100, window: "1m" }); several go into "policies"',
    isPolicy,
  ),
  policies: given(
    'a record from name to policy, or a function from the request to one',
    (value) => isRecord(value) || isFunction(value),
  ),
  name: given('a non-empty string: the namespace of the counters', isText),
  store: storeOption,
  clock: given('a function that returns milliseconds since the epoch', isFunction),
  ...awayOptions,
  key: {
    ...given(
      'a non-empty string, a list of such parts, a record from policy name to key, or a function from the request to one of these',
      (value) => isKeyOption(value) && uncalledKey(value) === undefined,
    ),
    advice: uncalledKey,
  },
  cost: given(
    'a whole number, 0 or more, or a function from the request to one',
    (value) => isCount(value) || isFunction(value),
  ),
  allow: given(someEntries, (value) => typeof value === 'object'),
  deny: given(someEntries, (value) => typeof value === 'object'),
  count: given(
    `'all', 'failures', 'successes', or a function from { status, aborted } to true or false`,
    (value) => isFunction(value) || ['all', 'failures', 'successes'].some((word) => word === value),
  ),
  resetOn: given(`'success', or an object such as { success: ['account'] }`, (value) => {
    return (
      value === 'success' ||
      (isRecord(value) && readOptions('resetOn', value, resetReaders) !== undefined)
    )
  }),
  wait: given(
    `an object such as { max: '5s' }`,
    (value) => isRecord(value) && readOptions('wait', value, { max: shortDuration }) !== undefined,
  ),
  releaseOn: optional<unknown>(oneOf('done', 'close'), undefined),
  dryRun: given('true or false', isBoolean),
  skip: given('a function from the request to true or false', isFunction),
  headers: {
    ...given(someStyles, isStyles),
    advice: (value) =>
      didYouMean(
        listOf(value).find((style) => !isStyle(style)),
        styles,
      ),
  },
  partitionKey: given('true or false', isBoolean),
  onDenied: given(
    'a handler in the form of the framework, which gets the decision last',
    isFunction,
  ),
  onDecision: given('a function of the request and the decision', isFunction),
  statusCode: given('a status from 200 to 599', (value) => {
    return isCount(value) && value >= 200 && value <= 599
  }),
  body: given(
    'a string, an object, or a function of the request and the decision that gives one',
    (value) =>
      typeof value === 'string' ||
      isFunction(value) ||
      (typeof value === 'object' && value !== null),
  ),
}

const resetReaders = { success: checked('a list of names of policies', isNames) }

const oneWay = 'Say what is allowed in one way: "limit" and "window", "policy", or "policies"'
const inPolicy = 'A policy is whole: pass what belongs to it to its builder'
const ownAnswer = '"onDenied" answers by itself, so there it belongs'

const conflicts: readonly (readonly [OptionName, OptionName, string])[] = [
  ['policy', 'policies', oneWay],
  ['limit', 'policy', oneWay],
  ['limit', 'policies', oneWay],
  ['window', 'policy', inPolicy],
  ['window', 'policies', inPolicy],
  ['algorithm', 'policy', inPolicy],
  ['algorithm', 'policies', inPolicy],
  ['onDenied', 'body', ownAnswer],
  ['onDenied', 'statusCode', ownAnswer],
]

// draft-7 and draft-6 write the same RateLimit-Policy.
const conflictingStyles: readonly (readonly HeaderStyle[])[] = [
  ['draft', 'draft-7'],
  ['draft', 'draft-6'],
  ['legacy', 'legacy-epoch'],
  ...styles.filter((style) => style !== 'none').map((style) => ['none', style] as const),
]

/** An option that may be absent. Options are only checked here, and used by the types they were passed in. */
function given(expected: string, holds: (value: unknown) => boolean): OptionReader<unknown> {
  const read = (value: unknown): unknown => (holds(value) ? value : undefined)
  return { expected, read, default: undefined }
}

function isKeyOption(value: unknown): boolean {
  return isText(value) || isFunction(value) || (typeof value === 'object' && value !== null)
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every(isText)
}

function isStyles(value: unknown): boolean {
  const list = listOf(value)
  return list.length > 0 && list.every(isStyle)
}

function isStyle(value: unknown): boolean {
  return styles.some((known) => known === value)
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value]
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean'
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
