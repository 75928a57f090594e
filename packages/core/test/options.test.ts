import { expect, test } from 'vitest'
import { slidingWindow } from '../src/index.js'
import { rejectUnknown } from '../src/option-readers.js'
import { errorOf } from './error-of.js'

test.each([
  ['250ms', 250],
  ['10s', 10_000],
  ['5m', 300_000],
  ['1h', 3_600_000],
  ['1d', 86_400_000],
  ['1.5h', 5_400_000],
  ['0.25s', 250],
  ['16.1s', 16_100],
  ['2.01s', 2010],
  ['64.4s', 64_400],
  ['3650d', 315_360_000_000],
] as const)('reads the duration %s as %i ms', (text, milliseconds) => {
  expect(slidingWindow({ limit: 1, window: text }).window).toBe(milliseconds)
})

test.each([
  ['windowMs', ['limit', 'window'], 'window'],
  ['windowMs', ['capacity', 'refill', 'every'], 'every'],
  ['timeWindow', ['limit', 'window'], 'window'],
  ['ttl', ['limit', 'window'], 'window'],
  ['interval', ['limit', 'window'], 'window'],
  ['interval', ['capacity', 'refill', 'every'], 'every'],
  ['duration', ['limit', 'window'], 'window'],
  ['max', ['limit', 'window'], 'limit'],
  ['max', ['capacity', 'refill', 'every'], 'capacity'],
  ['points', ['limit', 'window'], 'limit'],
  ['tokens', ['limit', 'window'], 'limit'],
  ['tokens', ['capacity', 'refill', 'every'], 'capacity'],
  ['bucketSize', ['capacity', 'refill', 'every'], 'capacity'],
  ['bucketSize', ['limit', 'window', 'burst'], 'burst'],
  ['maxTokens', ['capacity', 'refill', 'every'], 'capacity'],
  ['refillRate', ['capacity', 'refill', 'every'], 'refill'],
  ['tokensPerInterval', ['capacity', 'refill', 'every'], 'refill'],
  ['timezone', ['limit', 'period', 'timeZone'], 'timeZone'],
  ['tz', ['limit', 'period', 'timeZone'], 'timeZone'],
  ['keyPrefix', ['name', 'policies', 'store'], 'name'],
  ['keyPrefix', ['prefix', 'timeout'], 'prefix'],
  ['keyGenerator', ['limit', 'key'], 'key'],
  ['identifier', ['limit', 'key'], 'key'],
  ['handler', ['limit', 'onDenied'], 'onDenied'],
  ['errorResponseBuilder', ['limit', 'body'], 'body'],
  ['message', ['limit', 'body'], 'body'],
  ['weight', ['limit', 'cost'], 'cost'],
  ['standardHeaders', ['limit', 'headers'], 'headers'],
  ['legacyHeaders', ['limit', 'headers'], 'headers'],
  ['throttlers', ['name', 'policies'], 'policies'],
  ['limiter', ['limit', 'algorithm'], 'algorithm'],
  ['blockDuration', ['limit', 'window', 'block'], 'block'],
  ['exponentialBackoff', ['limit', 'window', 'block'], 'block'],
  ['timeoutMs', ['prefix', 'timeout'], 'timeout'],
  ['maxDelayMs', ['leak', 'every', 'maxDelay'], 'maxDelay'],
  ['namespace', ['prefix', 'timeout'], 'prefix'],
])('another library’s %s is answered, beside %j, with %s', (foreign, known, ours) => {
  const error = errorOf(() => rejectUnknown('here', { [foreign]: 1 }, known))
  expect([
    error.code,
    error.message.startsWith(`here: "${foreign}" is called "${ours}" here: `),
  ]).toEqual(['SLUICE_OPTION_RENAMED', true])
})

test('another library’s word for what is not offered here is an unknown option', () => {
  const error = errorOf(() => rejectUnknown('here', { keyGenerator: 1 }, ['limit']))
  expect(error.code).toBe('SLUICE_OPTION_UNKNOWN')
})

test('a word that every object inherits is no option', () => {
  const error = errorOf(() => rejectUnknown('here', { constructor: 1 }, ['limit']))
  expect(error.code).toBe('SLUICE_OPTION_UNKNOWN')
})
