import { sluiceError } from '../../errors.js'
import { commonReaders, nameOption } from '../../limiter/limiter-options.js'
import {
  assertNoConflict,
  policyConflicts,
  policyReaders,
  type Conflict,
} from '../../limiter/limit-options.js'
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
  oneOf,
  optional,
  readOptions,
  waitOption,
  type OptionReader,
  type OptionReaders,
} from '../../options/readers.js'
import { didYouMean } from '../../errors/did-you-mean.js'
import { isPromise } from '../../awaitable.js'
import type { HeaderStyle } from '../response/header-fields.js'
import { decidedByRules, type RateLimitOptions } from './options.js'
import { namedField, uncalledKey } from '../keys/key-advice.js'
import { isAccessList } from '../lists/access-list.js'

/**
 * Checks each option, and those that exclude each other. `requestPoliciesOf` finds missing options.
 *
 * @param own the options that only the adapter has
 * @throws SluiceError if an option is unknown or invalid, or two exclude each other
 */
export function checkOptions<R, H>(options: RateLimitOptions<R, H>, own?: OptionReaders): void {
  // A framework has called `rateLimit` itself with a request or a context, in place of the handler that it returns.
  if (isRecord(options) && membersOfRequests.some((member) => member in options)) {
    throw sluiceError('SLUICE_OPTIONS_INVALID', 'rateLimit', options, call)
  }
  readOptions('rateLimit', options, { ...readers, ...own })
  assertNoConflict('rateLimit', options, conflicts)
  assertStyles(options.headers)
}

/** No option has one of these names: Node, web Requests, Koa and Hono, Fastify, Astro and React Router, SvelteKit. */
const membersOfRequests = ['socket', 'bodyUsed', 'req', 'raw', 'request', 'event']

const call =
  `an object such as { limit: 100, window: '1m' }, and pass what the function returns to the framework. Call it: app.use(rateLimit({ … })), or in Fastify ` +
  'onRequest: app.sluice({ … })'

/** Refuses two styles in a list that would write the same header in different forms. */
function assertStyles(headers: HeaderStyle | readonly HeaderStyle[] = []): void {
  for (const conflicting of typeof headers === 'string' ? [] : conflictingStyles) {
    const [first, second] = conflicting.filter((style) => headers.includes(style))
    const advice =
      'As "headers", both write the same header in different forms, or one of them writes none'
    if (second !== undefined) {
      throw sluiceError('SLUICE_OPTIONS_CONFLICT', 'rateLimit', first, second, advice)
    }
  }
}

/**
 * Checks an option that only an adapter has.
 *
 * @throws SluiceError SLUICE_OPTION_INVALID if the value is not a known one
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

/** The option `key`. */
export const keyOption: OptionReader<unknown> = {
  ...checkedIfGiven(
    'a function from the request to its key such as byIp(), a list of parts, a record from policy name to key, or a constant such as ' +
      `'everybody' for one count of all requests`,
    (value) => isKeyOption(value) && keyAdvice(value) === undefined,
  ),
  advice: keyAdvice,
}

/** The option `cost`. */
export const costOption: OptionReader<unknown> = checkedIfGiven(
  'a whole number, 0 or more, a record from policy name to one, or a function from the request to either',
  // The limiter checks the names of a record.
  (value) => {
    const costs = isRecord(value) ? Object.values(value) : [value]
    return isFunction(value) || costs.every(isCount)
  },
)

const flag = checkedIfGiven('true or false', isBoolean)

const readers: Readonly<Record<OptionName, OptionReader<unknown>>> = {
  ...policyReaders,
  limit: checkedIfGiven(
    'a whole number, 0 or more, below 2^53, or a function from the request to one',
    (value) => isCount(value) || isFunction(value),
  ),
  policies: checkedIfGiven(
    'a policy such as slidingWindow({ limit: 100, window: "1m" }), a record from name to policy, or a function from the request to either',
    (value) => isRecord(value) || isFunction(value),
  ),
  rules: {
    ...checkedIfGiven('rules, such as those that loadRules of @sluice/rules returns', isRules),
    advice: (value) => (isPromise(value) ? 'This is a promise: await it' : undefined),
  },
  name: optional<unknown>(nameOption, undefined),
  ...commonReaders,
  key: keyOption,
  cost: costOption,
  allow: checkedIfGiven(someEntries, isAccessList),
  deny: checkedIfGiven(someEntries, isAccessList),
  count: checkedIfGiven(
    `'all', 'failures', 'successes', a function from { status, aborted } to true or false, or { when: 'failures', reserve: false }`,
    (value) =>
      value === 'all' ||
      isWhen(value) ||
      (isRecord(value) && readOptions('count', value, countReaders) !== undefined),
  ),
  resetOn: checkedIfGiven(`'success', or an object such as { success: ['account'] }`, (value) => {
    return (
      value === 'success' ||
      (isRecord(value) && readOptions('resetOn', value, resetReaders) !== undefined)
    )
  }),
  wait: waitOption,
  releaseOn: optional<unknown>(oneOf('done', 'close'), undefined),
  dryRun: flag,
  skip: checkedIfGiven('a function from the request to true or false', isFunction),
  headers: {
    ...checkedIfGiven(someStyles, isStyles),
    advice: (value) =>
      didYouMean(
        listOf(value).find((style) => !isStyle(style)),
        styles,
      ),
  },
  partitionKey: flag,
  onDenied: checkedIfGiven(
    'a handler of the framework that takes the decision as its last parameter',
    isFunction,
  ),
  onDecision: checkedIfGiven('a function of the request and the decision', isFunction),
  statusCode: checkedIfGiven('a status from 200 to 599', (value) => {
    return isCount(value) && value >= 200 && value <= 599
  }),
  body: checkedIfGiven(
    'a string, an object, or a function of the request and the decision that returns one',
    (value) =>
      typeof value === 'string' ||
      isFunction(value) ||
      (typeof value === 'object' && value !== null),
  ),
}

const countReaders = {
  when: checked(`'failures', 'successes', or a function from { status, aborted }`, isWhen),
  reserve: optional(checked('true or false', isBoolean), true),
}
const resetReaders = { success: checked('a list of names of policies', isNames) }

const inRules = 'The rules decide this for each request: state it there'
const ownAnswer = '"onDenied" writes the whole response: set it there'

/** Options that exclude each other. */
export const conflicts: readonly Conflict<OptionName>[] = [
  ...policyConflicts,
  ...decidedByRules.map((option) => ['rules', option, inRules] as const),
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

function keyAdvice(value: unknown): string | undefined {
  return uncalledKey(value) ?? namedField(value)
}

function isWhen(value: unknown): value is 'failures' | 'successes' | (() => unknown) {
  return value === 'failures' || value === 'successes' || isFunction(value)
}

function isRules(value: unknown): boolean {
  return isRecord(value) && isText(value['name']) && isFunction(value['decide'])
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
