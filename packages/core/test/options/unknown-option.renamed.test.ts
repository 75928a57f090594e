import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { checkLimitedCall } from '../../src/limited/limited-options.js'
import { namesFor, renamed } from '../../src/options/unknown-option.js'
import { byIp, createGuard } from '../../src/http/index.js'
import {
  calendarWindow,
  concurrency,
  createLimiter,
  gcra,
  leakyQueue,
  limited,
  memoryStore,
  redisStore,
  slidingWindow,
  tokenBucket,
} from '../../src/index.js'
import { errorOf } from '../error-of.js'

const limiter = createLimiter({
  name: 'api',
  policies: slidingWindow({ limit: 5, window: '1m' }),
})

/** The functions with options that have other names in other libraries. */
const takers = {
  rateLimit: (options: object) => createGuard(options),
  createLimiter: (options: object) => createLimiter(options as never),
  'limiter "api"': (options: object) => limiter.consume('a', options),
  limited: (options: object) => limited(limiter, () => ({ key: 'a' }), options),
  'limiter "api", limited call': (call: object) => checkLimitedCall('api', call as never),
  byIp: (options: object) => byIp(options),
  redisStore: (options: object) => redisStore(new Redis({ lazyConnect: true }), options),
  block: (options: object) => slidingWindow({ limit: 5, window: '1m', block: options as never }),
  slidingWindow: (options: object) => slidingWindow(options as never),
  gcra: (options: object) => gcra(options as never),
  tokenBucket: (options: object) => tokenBucket(options as never),
  concurrency: (options: object) => concurrency(options as never),
  calendarWindow: (options: object) => calendarWindow(options as never),
  leakyQueue: (options: object) => leakyQueue(options as never),
  memoryStore: (options: object) => memoryStore(options),
}

type Taker = keyof typeof takers

/** Each name with the functions that know it and their own names for it, by the best-known library that uses the name. */
const suggestions: readonly (readonly [word: string, ...(readonly [Taker, string])[]])[] = [
  // express-rate-limit and hono-rate-limiter
  ['windowMs', ['rateLimit', 'window'], ['tokenBucket', 'every'], ['createLimiter', 'window']],
  ['max', ['rateLimit', 'limit'], ['tokenBucket', 'capacity'], ['createLimiter', 'limit']],
  ['message', ['rateLimit', 'body']],
  ['handler', ['rateLimit', 'onDenied'], ['limited', 'onDenied']],
  ['onLimitReached', ['rateLimit', 'onDecision'], ['limited', 'onDenied']],
  ['standardHeaders', ['rateLimit', 'headers']],
  ['legacyHeaders', ['rateLimit', 'headers']],
  ['identifier', ['rateLimit', 'name'], ['createLimiter', 'name']],
  ['keyGenerator', ['rateLimit', 'key'], ['limiter "api", limited call', 'key']],
  ['ipv6Subnet', ['rateLimit', 'key'], ['byIp', 'ipv6']],
  ['skipFailedRequests', ['rateLimit', 'count']],
  ['skipSuccessfulRequests', ['rateLimit', 'count']],
  ['requestWasSuccessful', ['rateLimit', 'count']],
  ['passOnStoreError', ['rateLimit', 'onStoreError'], ['createLimiter', 'onStoreError']],
  ['prefix', ['rateLimit', 'name'], ['createLimiter', 'name']],
  ['maxDelayMs', ['leakyQueue', 'maxDelay']],
  // rate-limit-redis
  ['sendCommand', ['rateLimit', 'store'], ['createLimiter', 'store']],
  ['sendCommandCluster', ['rateLimit', 'store']],
  ['client', ['rateLimit', 'store']],
  ['redisURL', ['rateLimit', 'store']],
  ['expiry', ['rateLimit', 'window']],
  ['passIfNotConnected', ['rateLimit', 'onStoreError']],
  // rate-limiter-flexible
  [
    'points',
    ['rateLimit', 'limit'],
    ['tokenBucket', 'capacity'],
    ['createLimiter', 'limit'],
    ['limiter "api"', 'cost'],
    ['limiter "api", limited call', 'cost'],
  ],
  [
    'duration',
    ['rateLimit', 'window'],
    ['tokenBucket', 'every'],
    ['concurrency', 'lease'],
    ['block', 'for'],
    ['createLimiter', 'window'],
  ],
  [
    'blockDuration',
    ['slidingWindow', 'block'],
    ['rateLimit', 'policies'],
    ['createLimiter', 'policies'],
  ],
  ['execEvenly', ['rateLimit', 'policies'], ['createLimiter', 'policies']],
  ['keyPrefix', ['rateLimit', 'name'], ['createLimiter', 'name'], ['redisStore', 'prefix']],
  ['insuranceLimiter', ['rateLimit', 'onStoreError'], ['createLimiter', 'onStoreError']],
  ['timeoutMs', ['redisStore', 'timeout'], ['rateLimit', 'store'], ['createLimiter', 'store']],
  ['storeClient', ['rateLimit', 'store'], ['createLimiter', 'store']],
  ['inMemoryBlockOnConsumed', ['createLimiter', 'denyCache']],
  ['pointsToConsume', ['rateLimit', 'cost'], ['limiter "api"', 'cost']],
  ['whiteList', ['rateLimit', 'allow']],
  ['blackList', ['rateLimit', 'deny']],
  // @fastify/rate-limit
  ['timeWindow', ['rateLimit', 'window'], ['tokenBucket', 'every'], ['createLimiter', 'window']],
  ['redis', ['rateLimit', 'store']],
  ['nameSpace', ['rateLimit', 'name'], ['redisStore', 'prefix']],
  ['allowList', ['rateLimit', 'allow']],
  ['ban', ['rateLimit', 'policies'], ['createLimiter', 'policies']],
  ['exponentialBackoff', ['slidingWindow', 'block'], ['rateLimit', 'policies']],
  ['onExceeding', ['rateLimit', 'onDecision']],
  ['onExceeded', ['rateLimit', 'onDecision'], ['limited', 'onDenied']],
  ['errorResponseBuilder', ['rateLimit', 'body']],
  ['skipOnError', ['rateLimit', 'onStoreError'], ['createLimiter', 'onStoreError']],
  ['enableDraftSpec', ['rateLimit', 'headers']],
  ['addHeaders', ['rateLimit', 'headers']],
  ['addHeadersOnExceeding', ['rateLimit', 'headers']],
  ['groupId', ['rateLimit', 'name']],
  ['cache', ['rateLimit', 'store'], ['createLimiter', 'store'], ['memoryStore', 'maxKeys']],
  // koa-ratelimit
  ['driver', ['rateLimit', 'store']],
  ['db', ['rateLimit', 'store']],
  ['id', ['rateLimit', 'key']],
  ['namespace', ['rateLimit', 'name'], ['redisStore', 'prefix']],
  ['disableHeader', ['rateLimit', 'headers']],
  ['errorMessage', ['rateLimit', 'body']],
  ['status', ['rateLimit', 'statusCode']],
  ['whitelist', ['rateLimit', 'allow']],
  ['blacklist', ['rateLimit', 'deny']],
  ['onLimited', ['rateLimit', 'onDecision'], ['limited', 'onDenied']],
  ['throw', ['rateLimit', 'onDenied']],
  // @nestjs/throttler
  ['throttlers', ['rateLimit', 'policies'], ['createLimiter', 'policies']],
  [
    'ttl',
    ['rateLimit', 'window'],
    ['tokenBucket', 'every'],
    ['concurrency', 'lease'],
    ['block', 'for'],
    ['createLimiter', 'window'],
  ],
  ['ignoreUserAgents', ['rateLimit', 'skip']],
  ['skipIf', ['rateLimit', 'skip']],
  ['getTracker', ['rateLimit', 'key']],
  ['generateKey', ['rateLimit', 'name']],
  ['setHeaders', ['rateLimit', 'headers']],
  ['storage', ['rateLimit', 'store']],
  ['ipv6SubnetPrefix', ['rateLimit', 'key'], ['byIp', 'ipv6']],
  // others
  ['total', ['rateLimit', 'limit'], ['tokenBucket', 'capacity'], ['createLimiter', 'limit']],
  ['expire', ['rateLimit', 'window'], ['tokenBucket', 'every'], ['createLimiter', 'window']],
  ['interval', ['tokenBucket', 'every'], ['rateLimit', 'window'], ['createLimiter', 'window']],
  [
    'tokens',
    ['rateLimit', 'limit'],
    ['tokenBucket', 'capacity'],
    ['limiter "api"', 'cost'],
    ['createLimiter', 'limit'],
  ],
  ['bucketSize', ['tokenBucket', 'capacity'], ['gcra', 'burst']],
  ['maxTokens', ['tokenBucket', 'capacity'], ['gcra', 'burst']],
  ['refillRate', ['tokenBucket', 'refill']],
  ['tokensPerInterval', ['tokenBucket', 'refill']],
  ['timezone', ['calendarWindow', 'timeZone']],
  ['tz', ['calendarWindow', 'timeZone']],
  [
    'policy',
    ['rateLimit', 'policies'],
    ['createLimiter', 'policies'],
    ['limiter "api"', 'policies'],
  ],
  ['limiter', ['rateLimit', 'policies'], ['createLimiter', 'policies']],
  ['weight', ['rateLimit', 'cost']],
  ['whitelisted', ['rateLimit', 'allow']],
  ['skipList', ['rateLimit', 'allow']],
  ['denyList', ['rateLimit', 'deny']],
  ['blocklist', ['rateLimit', 'deny']],
]

const asked = suggestions.flatMap(([word, ...by]) =>
  by.map(([taker, ours]) => [word, taker, ours] as const),
)

test.each(asked)('the error for the name %s in %s suggests "%s"', (word, taker, ours) => {
  const { code, message } = errorOf(() => takers[taker]({ [word]: 1 }))
  expect([code, message]).toEqual([
    'SLUICE_OPTION_RENAMED',
    `${taker}: "${word}" is called "${ours}" in Sluice: ${new Map(namesFor(word)).get(ours)}.`,
  ])
})

test('all options that a function does not have are in one error', () => {
  const options = {
    windowMs: 60_000,
    max: 5,
    limit: 1,
    standardHeaders: true,
    wimdow: 1,
    logger: 1,
  }
  const { code, message } = errorOf(() => takers.rateLimit(options))
  expect(code).toBe('SLUICE_OPTION_RENAMED')
  expect(message.split('\n').map((line) => line.slice(0, 55))).toEqual([
    'rateLimit: "windowMs" is called "window" in Sluice: a d',
    'rateLimit: "max" is called "limit" in Sluice: a whole n',
    'rateLimit: "standardHeaders" is called "headers" in Slu',
    expect.stringMatching(/^rateLimit: .*"wimdow"/),
    expect.stringMatching(/^rateLimit: .*"logger"/),
  ])
})

test.each([
  ['createLimiter', { points: 5, duration: 60, blockDuration: 10 }],
  ['slidingWindow', { max: 5, windowMs: 60 }],
  ['redisStore', { keyPrefix: 'a', timeoutMs: 5, sendCommand: 1 }],
  ['limited', { handler: 1, keyGenerator: 1 }],
] as const)('all unknown options of %s are in one error', (taker, options) => {
  const { message } = errorOf(() => takers[taker](options))
  const lines = message.split('\n')
  expect(lines.length).toBe(Object.keys(options).length)
  Object.keys(options).forEach((name, i) => expect(lines[i]).toContain(`"${name}"`))
})

test('the options of rate-limit-redis in place of a client are named', () => {
  const { code, message } = errorOf(() => redisStore({ sendCommand() {}, prefix: 'rl:' } as never))
  expect(code).toBe('SLUICE_CLIENT_INVALID')
  expect(message).toContain('the options of rate-limit-redis: pass the client itself')
})

test('every name is tested, and none twice', () => {
  const known = new Set(renamed.flatMap(([foreign]) => foreign.split(' ')))
  expect(suggestions.map(([word]) => word).sort()).toEqual([...known].sort())
})

const inEachFramework =
  'it answers in place of the 429, and is called with (req, res, next, decision) in Express, (ctx, next, decision) in Koa, ' +
  '(request, reply, decision) in Fastify, (context, decision) in NestJS, (decision, ...arguments) in limited()'
const calledForEach =
  'called with (request, decision) for each decision; it does not answer the request'
const allowsAll = `'allow' allows every request while the store is unavailable; 'local', the default, counts in this process`
const blocks = `block: { for: '15m', on: 'exceeded' } (if it was in seconds, write '60s' for 60)`
const wholePolicy = 'a policy holds it, such as slidingWindow({ limit: 100, window: "1m" })'

test.each<[Taker, string, string]>([
  ['rateLimit', 'handler', inEachFramework],
  ['rateLimit', 'onLimitReached', calledForEach],
  ['rateLimit', 'onExceeded', calledForEach],
  ['rateLimit', 'onLimited', calledForEach],
  [
    'rateLimit',
    'identifier',
    'the headers show it for a limit without a name of its own; those of a record of policies show their own',
  ],
  [
    'rateLimit',
    'ipv6Subnet',
    'byIp({ ipv6: 56 }), with the number of leading bits that identify a client, 64 by default',
  ],
  ['rateLimit', 'passOnStoreError', allowsAll],
  ['rateLimit', 'skipOnError', allowsAll],
  ['rateLimit', 'skipFailedRequests', `'successes' refunds failures`],
  ['rateLimit', 'skipSuccessfulRequests', `'failures' refunds successes`],
  ['rateLimit', 'timeoutMs', 'redisStore(client, { timeout: 250 }) has it'],
  [
    'slidingWindow',
    'duration',
    'a duration in milliseconds or a string such as "1m" (if it was in seconds, write "60s" for 60)',
  ],
  ['slidingWindow', 'blockDuration', blocks],
  ['limiter "api"', 'max', wholePolicy],
  ['limiter "api"', 'duration', wholePolicy],
  ['createLimiter', 'blockDuration', `it belongs to a policy: ${blocks}`],
])('the error of %s for %s contains a hint', (taker, word, hint) => {
  const { message } = errorOf(() => takers[taker]({ [word]: 1 }))
  expect(message.replace(/^.*? in Sluice: /, '')).toBe(`${hint}.`)
})

test('a name of another library is an unknown option of a function without a counterpart', () => {
  const error = errorOf(() => slidingWindow({ keyGenerator: 1 } as never))
  expect(error.code).toBe('SLUICE_OPTION_UNKNOWN')
})

test('a name that every object inherits is an unknown option', () => {
  const error = errorOf(() => slidingWindow({ constructor: 1 } as never))
  expect(error.code).toBe('SLUICE_OPTION_UNKNOWN')
})
