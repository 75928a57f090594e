import process from 'node:process'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type * as Http from '../../src/http/index.js'
import {
  calendarWindow,
  concurrency,
  fixedWindow,
  gcra,
  slidingLog,
  slidingWindow,
  staged,
  tokenBucket,
  type Policy,
} from '../../src/index.js'
import type * as Core from '../../src/index.js'
import { noHeaders, response, viewOf } from '../http/visit.js'

const second = '1s'
const minute = '1m'
const block = { for: '1h' } as const
const inBerlin = { timeZone: 'Europe/Berlin' } as const

const redundant: readonly (readonly [string, Policy, Policy])[] = [
  [
    'the same limit in a shorter window',
    slidingLog({ limit: 10, window: second }),
    slidingLog({ limit: 10, window: minute }),
  ],
  [
    'a higher limit in the same window',
    fixedWindow({ limit: 11, window: minute }),
    fixedWindow({ limit: 10, window: minute }),
  ],
  [
    'two equal policies',
    slidingWindow({ limit: 10, window: minute }),
    slidingWindow({ limit: 10, window: minute }),
  ],
  [
    'a faster bucket of the same size',
    tokenBucket({ capacity: 10, refill: 1, every: second }),
    tokenBucket({ capacity: 10, refill: 1, every: minute }),
  ],
  [
    'the same burst at a higher rate',
    gcra({ limit: 20, window: minute, burst: 5 }),
    gcra({ limit: 10, window: minute, burst: 5 }),
  ],
  [
    'more units at once',
    concurrency({ limit: 3, lease: minute }),
    concurrency({ limit: 2, lease: minute }),
  ],
  [
    'equal calendar windows',
    calendarWindow({ limit: 10, period: 'day', ...inBerlin }),
    calendarWindow({ limit: 10, period: 'day', ...inBerlin }),
  ],
]

const useful: readonly (readonly [string, Policy, Policy])[] = [
  [
    'a lower limit in a shorter window',
    slidingLog({ limit: 9, window: second }),
    slidingLog({ limit: 10, window: minute }),
  ],
  [
    'another algorithm',
    slidingLog({ limit: 10, window: second }),
    slidingWindow({ limit: 10, window: minute }),
  ],
  [
    'another time zone',
    calendarWindow({ limit: 10, period: 'day', timeZone: 'Asia/Tokyo' }),
    calendarWindow({ limit: 10, period: 'day', ...inBerlin }),
  ],
  [
    'windows of the clock',
    fixedWindow({ limit: 10, window: second, align: 'clock' }),
    fixedWindow({ limit: 10, window: minute }),
  ],
  [
    'a policy that denies everything',
    slidingLog({ limit: 10, window: second }),
    slidingLog({ limit: 0, window: second }),
  ],
  [
    'a block',
    slidingLog({ limit: 10, window: second, block }),
    slidingLog({ limit: 10, window: minute, block }),
  ],
  [
    'an initial level',
    tokenBucket({ capacity: 10, refill: 1, every: second, initial: 1 }),
    tokenBucket({ capacity: 10, refill: 1, every: minute }),
  ],
  [
    'stages',
    staged({
      free: fixedWindow({ limit: 10, window: second }),
      then: gcra({ limit: 1, window: second }),
    }),
    staged({
      free: fixedWindow({ limit: 10, window: minute }),
      then: gcra({ limit: 1, window: minute }),
    }),
  ],
]

test.each(redundant)('%s is reported', async (_, policy, other) => {
  expect(await namesIn({ policy, other })).toContain('SLUICE_POLICY_REDUNDANT')
})

test.each(useful)('%s is not reported', async (_, policy, other) => {
  expect(await namesIn({ policy, other })).toEqual([])
})

async function namesIn(policies: Record<string, Policy>): Promise<readonly string[]> {
  const warnings = await warningsOf((core) => {
    core.createLimiter({ name: 'api', policies }).consume('key')
  })
  return warnings.map((text) => text.slice(0, text.indexOf(':')))
}

/** The warnings of new modules: each code is reported once for each time that they are loaded. */
async function warningsOf(
  act: (core: typeof Core, http: typeof Http) => unknown,
): Promise<string[]> {
  vi.resetModules()
  const messages: string[] = []
  const warned = (warning: Error & { code?: string }) =>
    void messages.push(`${warning.code}: ${warning.message}`)
  process.on('warning', warned)
  onTestFinished(() => void process.off('warning', warned))
  await act(await import('../../src/index.js'), await import('../../src/http/index.js'))
  await setImmediate()
  return messages
}

describe('the warning', () => {
  const message =
    'limiter "api": the policy "burst" allows at least as many units as "sustained", in a window that is not longer. Where both count by the same key, ' +
    'as in this call, it hardly ever denies. Give "burst" a lower limit or a longer window, or leave it out.'

  const policies = {
    burst: slidingLog({ limit: 10, window: second }),
    sustained: slidingLog({ limit: 10, window: minute }),
  }

  test('is emitted once, with the first request that has one key', async () => {
    const warnings = await warningsOf((core) => {
      const limiter = core.createLimiter({ name: 'api', policies })
      limiter.consume({ burst: 'one', sustained: 'another' })
      limiter.status('key')
      for (let i = 0; i < 3; i++) limiter.consume('key')
    })
    expect(warnings).toEqual([`SLUICE_POLICY_REDUNDANT: ${message}`])
  })

  test('is emitted by rateLimit, which counts by the address', async () => {
    const warnings = await warningsOf(async (_core, http) => {
      const guard = http.createGuard({ name: 'api', policies }, 'GET /')
      await guard.check(
        viewOf({}, { address: '192.0.2.1', peer: '192.0.2.1' }),
        response,
        noHeaders,
      )
    })
    expect(warnings).toEqual([`SLUICE_POLICY_REDUNDANT: ${message}`])
  })

  test('is not emitted for different keys, nor for policies of a call', async () => {
    const warnings = await warningsOf(async (core, http) => {
      const limiter = core.createLimiter({ name: 'api', policies })
      limiter.consume({ burst: 'one', sustained: 'another' })
      limiter.consume('key', { policies: { ...policies } })
      const guard = http.createGuard(
        { name: 'api', policies, key: { burst: 'one', sustained: 'another' } },
        'GET /',
      )
      await guard.check(viewOf({}), response, noHeaders)
    })
    expect(warnings).toEqual([])
  })

  test('names the later one of two equal policies', async () => {
    const warnings = await warningsOf((core) => {
      const alike = { first: policies.burst, second: policies.burst }
      core.createLimiter({ name: 'api', policies: alike }).consume('key')
    })
    expect(warnings.map((text) => /the policy (\S+) .* as (\S+), in/.exec(text)?.slice(1))).toEqual(
      [['"second"', '"first"']],
    )
  })
})
