import { expect, test } from 'vitest'
import { createLimiter, fixedWindow } from '../src/index.js'
import { errorOf } from './error-of.js'

const policy = fixedWindow({ limit: 2, window: '1h' })
const untyped = (options: object) => createLimiter(options as never)

test('the option "policy" is one policy with the name "default"', () => {
  const limiter = createLimiter({ name: 'api', policy })
  const decisions = [1, 2, 3].map(() => limiter.consume('key'))
  expect(decisions.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
    [true, 1],
    [true, 0],
    [false, 0],
  ])
  expect(limiter.consume({ default: 'other' }).deniedBy).toEqual([])
})

test('"policies" and "policy" with the same policy have the same counts', () => {
  const both = ['policy', 'policies'].map((option) => {
    const limiter = untyped({ name: 'api', [option]: policy, clock: () => 0 })
    limiter.consume('key')
    return limiter.status('key')
  })
  expect(both[0]).toEqual(both[1])
})

test('an undefined policy is treated as absent', () => {
  expect(untyped({ name: 'api', policy: undefined, policies: policy }).name).toBe('api')
  expect(untyped({ name: 'api', policies: undefined, policy }).name).toBe('api')
})

test.each<[string, object, string]>([
  [
    'SLUICE_OPTION_MISSING',
    { name: 'api' },
    'createLimiter: "policies" is missing. Pass a policy, such as slidingWindow({ limit: 100, window: "1m" }), or a record from name to policy.',
  ],
  [
    'SLUICE_OPTIONS_CONFLICT',
    { name: 'api', policy, policies: { hour: policy } },
    'createLimiter: "policy" and "policies" exclude each other. Put all of them into "policies", each with a name.',
  ],
  [
    'SLUICE_OPTION_INVALID',
    { name: 'api', policy: { hour: policy } },
    'createLimiter: "policy" is an object with the keys "hour". Pass one policy, such as slidingWindow({ limit: 100, window: "1m" }); several go into "policies".',
  ],
])('createLimiter throws %s for %o', (code, options, message) => {
  const error = errorOf(() => untyped(options))
  expect([error.code, error.message]).toEqual([code, message])
})
