import { sluiceError } from '../../errors.js'
import { commonReaders } from '../../limiter/limiter-options.js'
import {
  isBoolean,
  isCount,
  isFunction,
  isList,
  isRecord,
  isText,
} from '../../options/predicates.js'
import {
  checked,
  checkedIfGiven,
  duration,
  oneOf,
  optional,
  readOptions,
  waitOption,
  type OptionReader,
} from '../../options/readers.js'
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
  limit: checkedIfGiven(
    'a whole number, 0 or more, below 2^53, or a function from the request to one',
    (value) => isCount(value) || isFunction(value),
  ),
  window: optional<unknown>(duration, undefined),
  algorithm: checkedIfGiven('a builder that takes { limit, window }, such as gcra', isFunction),
  policies: checkedIfGiven(
    'a record from name to policy, or a function from the request to one',
    (value) => isRecord(value) || isFunction(value),
  ),
  ...commonReaders,
  name: optional<unknown>(commonReaders.name, undefined),
  key: {
    ...checkedIfGiven(
      'a non-empty string, a list of such parts, a record from policy name to key, or a function from the request to one of these',
      (value) => isKeyOption(value) && uncalledKey(value) === undefined,
    ),
    advice: uncalledKey,
  },
  cost: checkedIfGiven(
    'a whole number, 0 or more, or a function from the request to one',
    (value) => isCount(value) || isFunction(value),
  ),
  allow: checkedIfGiven(someEntries, (value) => typeof value === 'object'),
  deny: checkedIfGiven(someEntries, (value) => typeof value === 'object'),
  count: checkedIfGiven(
    `'all', 'failures', 'successes', or a function from { status, aborted } to true or false`,
    (value) => isFunction(value) || ['all', 'failures', 'successes'].some((word) => word === value),
  ),
  resetOn: checkedIfGiven(`'success', or an object such as { success: ['account'] }`, (value) => {
    return (
      value === 'success' ||
      (isRecord(value) && readOptions('resetOn', value, resetReaders) !== undefined)
    )
  }),
  wait: waitOption,
  releaseOn: optional<unknown>(oneOf('done', 'close'), undefined),
  dryRun: checkedIfGiven('true or false', isBoolean),
  skip: checkedIfGiven('a function from the request to true or false', isFunction),
  headers: {
    ...checkedIfGiven(someStyles, isStyles),
    advice: (value) =>
      didYouMean(
        listOf(value).find((style) => !isStyle(style)),
        styles,
      ),
  },
  partitionKey: checkedIfGiven('true or false', isBoolean),
  onDenied: checkedIfGiven(
    'a handler in the form of the framework, which gets the decision last',
    isFunction,
  ),
  onDecision: checkedIfGiven('a function of the request and the decision', isFunction),
  statusCode: checkedIfGiven('a status from 200 to 599', (value) => {
    return isCount(value) && value >= 200 && value <= 599
  }),
  body: checkedIfGiven(
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

function isKeyOption(value: unknown): boolean {
  return isText(value) || isFunction(value) || (typeof value === 'object' && value !== null)
}

function isNames(value: unknown): value is readonly string[] {
  return isList(value) && value.length > 0 && value.every(isText)
}

function isStyles(value: unknown): boolean {
  const list = listOf(value)
  return list.length > 0 && list.every(isStyle)
}

function isStyle(value: unknown): boolean {
  return styles.some((known) => known === value)
}

function listOf(value: unknown): readonly unknown[] {
  return isList(value) ? value : [value]
}
