import { isPromise } from '../../awaitable.js'
import { sluiceError } from '../../errors.js'
import { didYouMean } from '../../errors/did-you-mean.js'
import {
  assertNoConflict,
  policyConflicts,
  policyReaders,
  type Conflict,
} from '../../limiter/limit-options.js'
import { commonReaders, nameOption } from '../../limiter/limiter-options.js'
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
  isRecordOf,
  oneOf,
  optional,
  readOptions,
  waitOption,
  type OptionReader,
  type OptionReaders,
} from '../../options/readers.js'
import { keyAdvice } from '../keys/key-advice.js'
import { isAccessList } from '../lists/access-list.js'
import type { HeaderStyle } from '../response/header-fields.js'
import { decidedByRules, type RateLimitOptions } from './options.js'

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
  const chosen = listOf(options.headers).map((style) => [String(style), true] as const)
  assertNoConflict('rateLimit', Object.fromEntries(chosen), styleConflicts)
}

/** No option has one of these names: Node, web Requests, Koa and Hono, Fastify, Astro and React Router, SvelteKit. */
const membersOfRequests = ['socket', 'bodyUsed', 'req', 'raw', 'request', 'event']

const call =
  `an object such as { limit: 100, window: '1m' }, and pass what the function returns to the framework. Call it: app.use(rateLimit({ … })), or in Fastify ` +
  'onRequest: app.sluice({ … })'

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

const access = checkedIfGiven(
  'a list of addresses, ranges and keys, or accessList([…])',
  isAccessList,
)

/** The option `key`. */
export const keyOption: OptionReader<unknown> = checkedIfGiven(
  'a function from the request to its key such as byIp(), a list of parts, a record from policy name to key, or a constant such as ' +
    `'everybody' for one count of all requests`,
  (value) =>
    (isText(value) || isFunction(value) || isObject(value)) && keyAdvice(value) === undefined,
  keyAdvice,
)

/** The option `cost`. */
export const costOption: OptionReader<unknown> = checkedIfGiven(
  'a whole number, 0 or more, a record from policy name to one, or a function from the request to either',
  // The limiter checks the names of a record.
  (value) => isFunction(value) || (isRecord(value) ? Object.values(value) : [value]).every(isCount),
)

const flag = checkedIfGiven('true or false', isBoolean)

const isCountRecord = isRecordOf('count', {
  when: checked(`'failures', 'successes', or a function from { status, aborted }`, isWhen),
  reserve: optional(checked('true or false', isBoolean), true),
})
const isResetRecord = isRecordOf('resetOn', {
  success: checked('a list of names of policies', isNames),
})

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
  rules: checkedIfGiven(
    'rules, such as those that loadRules of @sluice/rules returns',
    (value) => isRecord(value) && isText(value['name']) && isFunction(value['decide']),
    (value) => (isPromise(value) ? 'This is a promise: await it' : undefined),
  ),
  name: optional<unknown>(nameOption, undefined),
  ...commonReaders,
  key: keyOption,
  cost: costOption,
  allow: access,
  deny: access,
  count: checkedIfGiven(
    `'all', 'failures', 'successes', a function from { status, aborted } to true or false, or { when: 'failures', reserve: false }`,
    (value) => value === 'all' || isWhen(value) || isCountRecord(value),
  ),
  resetOn: checkedIfGiven(
    `'success', or an object such as { success: ['account'] }`,
    (value) => value === 'success' || isResetRecord(value),
  ),
  wait: waitOption,
  releaseOn: optional<unknown>(oneOf('done', 'close'), undefined),
  dryRun: flag,
  skip: checkedIfGiven('a function from the request to true or false', isFunction),
  headers: checkedIfGiven(
    someStyles,
    (value) => listOf(value).length > 0 && listOf(value).every(isStyle),
    (value) =>
      didYouMean(
        listOf(value).find((style) => !isStyle(style)),
        styles,
      ),
  ),
  partitionKey: flag,
  onDenied: checkedIfGiven(
    'a handler of the framework that takes the decision as its last parameter',
    isFunction,
  ),
  onDecision: checkedIfGiven('a function of the request and the decision', isFunction),
  statusCode: checkedIfGiven(
    'a status from 200 to 599',
    (value) => isCount(value) && value >= 200 && value <= 599,
  ),
  body: checkedIfGiven(
    'a string, an object, or a function of the request and the decision that returns one',
    (value) => typeof value === 'string' || isFunction(value) || isObject(value),
  ),
}

const inRules = 'The rules decide this for each request: state it there'
const ownAnswer = '"onDenied" writes the whole response: set it there'
const oneForm =
  'As "headers", both write the same header in different forms, or one of them writes none'

/** Options that exclude each other. */
export const conflicts: readonly Conflict<OptionName>[] = [
  ...policyConflicts,
  ...decidedByRules.map((option) => ['rules', option, inRules] as const),
  ['onDenied', 'body', ownAnswer],
  ['onDenied', 'statusCode', ownAnswer],
]

const styleConflicts: readonly Conflict<string>[] = [
  ['draft', 'draft-7', oneForm],
  ['draft', 'draft-6', oneForm],
  ['legacy', 'legacy-epoch', oneForm],
  ...styles.slice(0, -1).map((style) => ['none', style, oneForm] as const),
]

function isWhen(value: unknown): value is 'failures' | 'successes' | (() => unknown) {
  return value === 'failures' || value === 'successes' || isFunction(value)
}

function isNames(value: unknown): value is readonly string[] {
  return isList(value) && value.length > 0 && value.every(isText)
}

function isStyle(value: unknown): boolean {
  return styles.some((known) => known === value)
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

function listOf(value: unknown): readonly unknown[] {
  return isList(value) ? value : [value]
}
