import { expect, test } from 'vitest'
import {
  calendarWindow,
  concurrency,
  createLimiter,
  fixedWindow,
  gcra,
  leakyBucket,
  leakyQueue,
  slidingLog,
  slidingWindow,
  staged,
  tokenBucket,
  unlimited,
  type Policy,
} from '../src/index.js'
import { mostRecordKeys } from '../src/algorithms/algorithm.js'
import { resolvePolicy } from '../src/algorithms/kind.js'
import { builders } from './builders.js'
import { errorOf } from './error-of.js'

const largest = Number.MAX_SAFE_INTEGER

for (const [name, { build, good, required, bad, plain }] of Object.entries(builders)) {
  test(`${name} builds frozen plain data`, () => {
    const policy = build(good)
    expect([policy, Object.isFrozen(policy)]).toEqual([{ kind: name, ...plain }, true])
    expect(Object.getPrototypeOf(policy)).toBe(Object.prototype)
  })

  test(`${name} does not change its options`, () => {
    const options = { ...good }
    build(options)
    expect(options).toEqual(good)
  })

  test(`a ${name} policy read from JSON makes the same decisions as the policy itself`, () => {
    const policy = build({ ...good, block: { for: '10s', on: 'exceeded' } })
    const [first, second] = [policy, throughJson(policy)].map(decisions)
    expect(second).toEqual(first)
    expect(first.map(({ allowed }) => allowed)).toContain(false)
  })

  for (const [option, values] of Object.entries(bad)) {
    test.each(values.map((value) => [value]))(`${name} refuses ${option}: %o`, (value) => {
      const error = errorOf(() => build({ ...good, [option]: value }))
      expect([error.code, error.message.startsWith(`${name}: "${option}" is `)]).toEqual([
        'SLUICE_OPTION_INVALID',
        true,
      ])
    })
  }

  test.each(required)(`${name} refuses a call without the option %s`, (option) => {
    const error = errorOf(() => build({ ...good, [option]: undefined }))
    expect([error.code, error.message.startsWith(`${name}: "${option}" is missing`)]).toEqual([
      'SLUICE_OPTION_MISSING',
      true,
    ])
  })

  test(`${name} refuses an unknown option, and lists its options`, () => {
    const error = errorOf(() => build({ ...good, limmit: 5 }))
    const known = Object.keys(bad).map((option) => `"${option}"`)
    const meant = 'limit' in bad ? ' Did you mean "limit"?' : ''
    expect([error.code, error.message]).toEqual([
      'SLUICE_OPTION_UNKNOWN',
      `${name}: there is no option "limmit".${meant} It takes ${known.join(', ')}.`,
    ])
  })

  test.each([[undefined], [null], [5], ['5/m'], [[]], [() => 5]])(
    `${name} refuses %o instead of its options`,
    (options) => {
      expect(errorOf(() => build(options)).code).toBe('SLUICE_OPTIONS_INVALID')
    },
  )

  test(`a ${name} policy read from a file is checked like the options of ${name}`, () => {
    const [option] = required
    const error = errorOf(() => limiterOf({ kind: name, ...good, [option]: '5' }))
    expect([
      error.code,
      error.message.startsWith(`${name}: "${option}" is the string "5"`),
    ]).toEqual(['SLUICE_OPTION_INVALID', true])
    expect(limiterOf({ kind: name, ...good }).peek('key')).toEqual(
      limiterOf(build(good)).peek('key'),
    )
  })
}

test.each<[string, Policy]>([
  ['fixedWindow', fixedWindow({ limit: largest, window: '3650d' })],
  ['slidingWindow', slidingWindow({ limit: largest, window: '3650d' })],
  ['slidingWindow in buckets', slidingWindow({ limit: largest, window: '3650d', buckets: 10 })],
  ['calendarWindow', calendarWindow({ limit: largest, period: 'month', timeZone: 'UTC' })],
])('%s counts each unit of the largest limit in ten years', (_, policies) => {
  let now = Date.UTC(2030, 0, 1)
  const limiter = createLimiter({ name: 'test', policies, clock: () => now })
  const half = 2 ** 52
  expect(limiter.consume('key', { cost: half }).remaining).toBe(half - 1)
  now += 86_400_000
  expect(limiter.consume('key', { cost: half }).allowed).toBe(false)
  expect(limiter.consume('key', { cost: half - 2 }).remaining).toBe(1)
  expect(limiter.consume('key').allowed).toBe(true)
  expect(limiter.consume('key').allowed).toBe(false)
  limiter.penalize('key', largest)
  limiter.penalize('key', largest)
  expect(limiter.status('key').policies['default'].used).toBe(largest)
  limiter.refund('key', largest)
  expect(limiter.status('key').policies['default'].used).toBe(0)
})

test.each<[string, (limit: number) => Policy]>([
  ['gcra', (limit) => gcra({ limit, window: '1d' })],
  ['tokenBucket', (limit) => tokenBucket({ capacity: limit, refill: limit, every: '1d' })],
  ['leakyBucket', (limit) => leakyBucket({ capacity: limit, leak: limit, every: '1d' })],
  ['leakyQueue', (limit) => leakyQueue({ leak: limit, every: '1d', maxDelay: '1d' })],
])('%s takes a billion units a day, and prime numbers of them', (kind, build) => {
  for (const limit of [999_999_937, 1_000_000_000, 1_000_000_007]) {
    expect(limiterOf(build(limit)).consume('key')).toMatchObject({ allowed: true })
    expect(build(limit).kind).toBe(kind)
  }
})

test.each<[string, (size: number) => Policy]>([
  ['gcra', (size) => gcra({ limit: 1_000_003, window: 1009, burst: 2 ** (40 + size) })],
  [
    'tokenBucket',
    (size) => tokenBucket({ capacity: 2 ** (40 + size), refill: 1_000_003, every: 1009 }),
  ],
  [
    'leakyBucket',
    (size) => leakyBucket({ capacity: 2 ** (40 + size), leak: 1_000_003, every: 1009 }),
  ],
  [
    'leakyQueue',
    (size) => leakyQueue({ leak: 1_000_003, every: 1009, maxDelay: 1000 * 2 ** (7 * size) }),
  ],
])('%s refuses numbers that it cannot count to one part in 10^6', (name, build) => {
  expect(build(0).kind).toBe(name)
  expect(errorOf(() => build(4)).code).toBe('SLUICE_NUMBERS_TOO_LARGE')
})

test.each<[string, (units: number) => Policy]>([
  ['burst', (burst) => gcra({ limit: 1, window: '1d', burst })],
  ['capacity', (capacity) => tokenBucket({ capacity, refill: 1, every: '1d' })],
  ['capacity', (capacity) => leakyBucket({ capacity, leak: 1, every: '1d' })],
])('refuses a %s that takes more than a thousand years to be available again', (option, build) => {
  expect(Object.values(build(365_250))).toContain(365_250)
  const error = errorOf(() => build(365_251))
  expect([
    error.code,
    error.message.includes(`"${option}" is 365251. Pass at most 365250`),
  ]).toEqual(['SLUICE_OPTION_INVALID', true])
})

test('a penalty is refused if it takes more than a thousand years to expire', () => {
  const policies = tokenBucket({ capacity: 1, refill: 1, every: '1d' })
  const limiter = createLimiter({ name: 'test', policies })
  const most = 365_250
  limiter.penalize('key', most)
  expect(limiter.status('key').policies['default'].used).toBe(most)
  expect(errorOf(() => limiter.penalize('key', most + 1)).code).toBe('SLUICE_OPTION_INVALID')
})

test('a sliding window of one bucket spreads its older window by default', () => {
  const tailOf = (options: object) => slidingWindow({ limit: 7, window: 1000, ...options }).tail
  expect([{}, { buckets: 1 }, { buckets: 5 }, { tail: 'weighted' }].map(tailOf)).toEqual([
    'spread',
    'spread',
    'weighted',
    'weighted',
  ])
})

test('a sliding window of several buckets refuses the tail "spread"', () => {
  const options = { limit: 7, window: 1000, buckets: 5, tail: 'spread' } as const
  const refused = [
    errorOf(() => slidingWindow(options)),
    errorOf(() => limiterOf({ kind: 'slidingWindow', ...options })),
  ]
  const message =
    `slidingWindow: "tail" is the string "spread". ` +
    `Pass 'weighted' or 'truncated' with 5 buckets; 'spread' takes one bucket.`
  expect(refused.map((error) => [error.code, error.message])).toEqual([
    ['SLUICE_OPTION_INVALID', message],
    ['SLUICE_OPTION_INVALID', message],
  ])
})

test('the default burst of gcra is its limit', () => {
  expect(gcra({ limit: 7, window: 1000 }).burst).toBe(7)
})

test('a burst of 0 would deny everything, so only a limit of 0 may have it', () => {
  const refused = [
    errorOf(() => gcra({ limit: 5, window: '1m', burst: 0 })),
    errorOf(() => limiterOf({ kind: 'gcra', limit: 5, window: '1m', burst: 0 })),
  ]
  const message =
    'gcra: "burst" is 0. Pass a whole number, 1 or more, below 2^53. To deny everything, pass limit: 0.'
  expect(refused.map((error) => [error.code, error.message])).toEqual([
    ['SLUICE_OPTION_INVALID', message],
    ['SLUICE_OPTION_INVALID', message],
  ])
  for (const policy of [
    gcra({ limit: 0, window: '1m' }),
    tokenBucket({ capacity: 0, refill: 1, every: '1m' }),
  ]) {
    expect(limiterOf(throughJson(policy)).consume('key')).toMatchObject({
      allowed: false,
      limit: 0,
    })
  }
})

test('a block is part of the policy, frozen, in milliseconds and with its defaults', () => {
  const { block } = fixedWindow({ limit: 5, window: '1m', block: { for: '10m' } })
  expect(block).toEqual({ for: 600_000, on: 'reached', escalate: 1, max: 315_576_000_000 })
  expect(Object.isFrozen(block)).toBe(true)
})

test.each<[string, Record<string, unknown>, string]>([
  ['for', {}, 'SLUICE_OPTION_MISSING'],
  ['for', { for: 0 }, 'SLUICE_OPTION_INVALID'],
  ['on', { for: '1m', on: 'denied' }, 'SLUICE_OPTION_INVALID'],
  ['escalate', { for: '1m', escalate: 0.5 }, 'SLUICE_OPTION_INVALID'],
  ['escalate', { for: '1m', escalate: Number.NaN }, 'SLUICE_OPTION_INVALID'],
  ['escalate', { for: '1m', escalate: '2' }, 'SLUICE_OPTION_INVALID'],
  ['max', { for: '1m', max: '20y' }, 'SLUICE_OPTION_INVALID'],
  ['max', { for: '10m', max: '1m' }, 'SLUICE_OPTION_INVALID'],
  ['until', { for: '1m', until: '2m' }, 'SLUICE_OPTION_UNKNOWN'],
])('a block with a wrong "%s" is refused: %o', (option, block, code) => {
  const error = errorOf(() => fixedWindow({ limit: 5, window: '1m', block: block as never }))
  expect([error.code, error.message.includes(`"${option}"`)]).toEqual([code, true])
})

test('staged contains its two policies, and makes the same decisions when it is read from JSON', () => {
  const [free, then] = [fixedWindow({ limit: 2, window: '1d' }), gcra({ limit: 1, window: '10s' })]
  const policy = staged({ free, then })
  expect(policy).toEqual({ kind: 'staged', free, then })
  expect(decisions(throughJson(policy))).toEqual(decisions(policy))
})

test.each<[string, unknown]>([
  ['an object that is not a policy', { limit: 5 }],
  ['null', null],
  ['a staged policy', staged({ free: unlimited(), then: unlimited() })],
  ['a policy with a block', fixedWindow({ limit: 5, window: '1m', block: { for: '1m' } })],
])('staged refuses %s as a stage', (_, stage) => {
  const error = errorOf(() => staged({ free: unlimited(), then: stage as never }))
  expect([error.code, error.message.startsWith('staged: "then" is ')]).toEqual([
    'SLUICE_OPTION_INVALID',
    true,
  ])
})

test.each<[string, unknown, string]>([
  ['concurrency', concurrency({ limit: 1, lease: '1m' }), 'staged: "then" is '],
  ['a log', slidingLog({ limit: 1, window: '1m' }), 'staged: "then" is '],
  ['an unknown kind', { kind: 'none' }, 'staged, "then": the kind "none" is not a policy.'],
  [
    'a wrong limit',
    { kind: 'fixedWindow', limit: -1, window: 1000 },
    'fixedWindow: "limit" is -1.',
  ],
])('staged refuses %s as a stage before a limiter is created', (_, stage, message) => {
  const free = fixedWindow({ limit: 2, window: '1d' })
  expect(errorOf(() => staged({ free, then: stage as never })).message).toContain(message)
  const swapped = message.replace('"then"', '"free"')
  expect(errorOf(() => staged({ free: stage as never, then: free })).message).toContain(swapped)
})

test('unlimited takes no options', () => {
  expect(unlimited()).toEqual({ kind: 'unlimited' })
  expect(errorOf(() => unlimited({ limit: 5 } as never)).code).toBe('SLUICE_OPTION_UNKNOWN')
})

test('no two algorithms have a key of records in common, and a reset deletes all of them', () => {
  const policies = Object.values(builders).map(({ build, good }) =>
    resolvePolicy(build(good), 'test'),
  )
  const numbers = policies.flatMap(({ steps }) => steps.records?.keys ?? [])
  expect(numbers.toSorted((one, other) => one - other)).toEqual(
    Array.from({ length: mostRecordKeys }, (_, i) => i + 1),
  )
})

/** A limiter with policies of unknown type. */
function limiterOf(policies: object) {
  let now = 1_700_000_000_000
  return createLimiter({ name: 'test', policies, clock: () => (now += 7000) } as never)
}

/** The decisions on eight requests, one every seven seconds. */
function decisions(policies: Policy) {
  const limiter = limiterOf(policies)
  return Array.from({ length: 8 }, () => {
    // Each lease has an id of its own.
    const { lease: _lease, ...decision } = limiter.consume('key')
    return decision
  })
}

function throughJson(policy: Policy): Policy {
  return JSON.parse(JSON.stringify(policy))
}
