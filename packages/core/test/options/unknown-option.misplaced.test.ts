import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { createGuard } from '../../src/http/index.js'
import * as core from '../../src/index.js'
import { checkLimitedCall } from '../../src/limited/limited-options.js'
import { policies as suggested, unsupported } from '../../src/options/unknown-option.js'
import { builders } from '../builders.js'
import { errorOf } from '../error-of.js'

const { createLimiter, slidingWindow, staged } = core
const policyOptions = suggested.flatMap(([options, policy]) =>
  options.split(' ').map((option) => [option, policy] as const),
)
const policies = slidingWindow({ limit: 5, window: '1m' })
const limiter = createLimiter({ name: 'api', policies })

/** The functions that take whole policies. */
const takers: Readonly<Record<string, (options: object) => unknown>> = {
  rateLimit: (options) => createGuard(options),
  createLimiter: (options) => createLimiter(options as never),
  'limiter "api", limited call': (call) => checkLimitedCall('api', call as never),
  'limiter "api"': (options) => limiter.consume('key', options),
}

describe.each(Object.entries(takers))('%s', (where, take) => {
  test.each(policyOptions)(
    'suggests a policy for the option %s, which belongs to policies',
    (option, policy) => {
      // The functions that make a limiter have these three options.
      const makesLimiter = where === 'rateLimit' || where === 'createLimiter'
      if (makesLimiter && ['limit', 'window', 'algorithm'].includes(option)) return
      const { code, message } = errorOf(() => take({ [option]: 1 }))
      expect([code, message]).toEqual([
        'SLUICE_OPTION_MISPLACED',
        `${where}: "${option}" is an option of a policy, not of this function. Pass policies: ${policy}, or the like.`,
      ])
    },
  )
})

test('burst and block beside limit are an error, and not ignored', () => {
  const short = { limit: 5, window: '1m' } as const
  for (const option of ['burst', 'block']) {
    for (const make of [
      () => createGuard({ ...short, [option]: 10 }),
      () => createLimiter({ name: 'api', ...short, [option]: 10 }),
    ]) {
      expect(errorOf(make).code).toBe('SLUICE_OPTION_MISPLACED')
    }
  }
})

test('there is a suggestion for every option of a builder', () => {
  const ofBuilders = Object.values(builders).flatMap(({ bad }) => Object.keys(bad))
  const ofStages = ['free', 'then', 'algorithm']
  expect(policyOptions.map(([option]) => option).toSorted()).toEqual(
    [...new Set([...ofBuilders, ...ofStages])].toSorted(),
  )
})

test.each(policyOptions)('the policy that is suggested for %s can be built', (option, policy) => {
  const built: core.Policy = runInNewContext(policy, { ...core })
  expect(createLimiter({ name: 'built', policies: built }).name).toBe('built')
  if (option !== 'algorithm') expect(Object.keys(built)).toContain(option)
})

test('a builder refuses the options of other builders', () => {
  const error = errorOf(() => slidingWindow({ limit: 5, window: '1m', burst: 9 } as never))
  expect(error.code).toBe('SLUICE_OPTION_UNKNOWN')
  expect(staged({ free: policies, then: policies }).kind).toBe('staged')
})

test.each(Object.entries(unsupported))('the error for %s contains advice', (option, advice) => {
  const { code, message } = errorOf(() => createGuard({ limit: 5, window: '1m', [option]: 1 }))
  expect([code, message.split(' It takes ')[0]]).toEqual([
    'SLUICE_OPTION_UNKNOWN',
    `rateLimit: there is no option "${option}". ${advice}.`,
  ])
})

test('there is advice for each of these options of other libraries', () => {
  expect(Object.keys(unsupported)).toEqual([
    'onBanReach',
    'continueExceeding',
    'requestPropertyName',
    'validate',
    'resetExpiryOnChange',
    'logger',
    'hook',
    'retryAfter',
  ])
})
