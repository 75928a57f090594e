import { expect, test } from 'vitest'
import {
  calendarWindow,
  createLimiter,
  fixedWindow,
  gcra,
  leakyBucket,
  leakyQueue,
  slidingWindow,
  staged,
  tokenBucket,
  unlimited,
  type Policy,
} from '../src/index.js'
import { errorOf } from './error-of.js'

type Build = (options: unknown) => Policy

interface Subject {
  readonly build: Build
  readonly good: Readonly<Record<string, unknown>>
  readonly required: readonly string[]
  /** Every option, with values that it must not take. */
  readonly bad: Readonly<Record<string, readonly unknown[]>>
  readonly plain: Policy
}

const notCounts = [
  -1,
  1.5,
  Number.NaN,
  Infinity,
  -Infinity,
  2 ** 53,
  '100',
  '',
  null,
  true,
  [],
  [1],
  {},
  5n,
]
const notRates = [...notCounts, 0]
const notLengths = [-1, 0, 0.5, 1.5, Number.NaN, Infinity, 315_576_000_001, null, true, [], {}, 5n]
const notTexts = [
  '',
  '10',
  's',
  '0s',
  '-1s',
  '1 s',
  '1S',
  '1w',
  '1y',
  '1e3s',
  '1.0005s',
  '0.5ms',
  '4000d',
  '1m30s',
]
const notDurations = [...notLengths, ...notTexts]
const notOffsets = notDurations.filter((value) => value !== 0 && value !== '0s')

const notBlocks = [5, '1m', true, null, () => 5]

// A builder is called as a program without types calls it.
const untyped = (build: (options: never) => Policy): Build => build as Build

const subjects: Readonly<Record<string, Subject>> = {
  fixedWindow: {
    build: untyped(fixedWindow),
    good: { limit: 5, window: '1m' },
    required: ['limit', 'window'],
    bad: {
      limit: notCounts,
      window: notDurations,
      align: ['', 'clocks', 1, null, true],
      offset: notOffsets,
      block: notBlocks,
    },
    plain: { kind: 'fixedWindow', limit: 5, window: 60_000, align: 'first', offset: 0 } as Policy,
  },
  slidingWindow: {
    build: untyped(slidingWindow),
    good: { limit: 5, window: '1m' },
    required: ['limit', 'window'],
    bad: {
      limit: notCounts,
      window: notDurations,
      buckets: [...notRates, 7, 251],
      tail: ['', 'long', 1, null, true],
      block: notBlocks,
    },
    plain: {
      kind: 'slidingWindow',
      limit: 5,
      window: 60_000,
      buckets: 1,
      tail: 'weighted',
    } as Policy,
  },
  calendarWindow: {
    build: untyped(calendarWindow),
    good: { limit: 5, period: 'day', timeZone: 'Asia/Shanghai' },
    required: ['limit', 'period', 'timeZone'],
    bad: {
      limit: notCounts,
      period: ['', 'year', 1, null],
      timeZone: ['', 'Europe/Atlantis', 8, null],
      weekStartsOn: ['', 'mon', 1, null],
      block: notBlocks,
    },
    plain: {
      kind: 'calendarWindow',
      limit: 5,
      period: 'day',
      timeZone: 'Asia/Shanghai',
      weekStartsOn: 'monday',
    } as Policy,
  },
  gcra: {
    build: untyped(gcra),
    good: { limit: 5, window: '1m', burst: 2 },
    required: ['limit', 'window'],
    bad: { limit: notCounts, window: notDurations, burst: notCounts, block: notBlocks },
    plain: { kind: 'gcra', limit: 5, window: 60_000, burst: 2 } as Policy,
  },
  tokenBucket: {
    build: untyped(tokenBucket),
    good: { capacity: 5, refill: 2, every: '1m' },
    required: ['capacity', 'refill', 'every'],
    bad: {
      capacity: notCounts,
      refill: notRates,
      every: notDurations,
      initial: [...notCounts, 6],
      block: notBlocks,
    },
    plain: { kind: 'tokenBucket', capacity: 5, refill: 2, every: 60_000, initial: 5 } as Policy,
  },
  leakyBucket: {
    build: untyped(leakyBucket),
    good: { capacity: 5, leak: 2, every: '1m' },
    required: ['capacity', 'leak', 'every'],
    bad: { capacity: notCounts, leak: notRates, every: notDurations, block: notBlocks },
    plain: { kind: 'leakyBucket', capacity: 5, leak: 2, every: 60_000 } as Policy,
  },
  leakyQueue: {
    build: untyped(leakyQueue),
    good: { leak: 2, every: '1m', maxDelay: '1s' },
    required: ['leak', 'every', 'maxDelay'],
    bad: { leak: notRates, every: notDurations, maxDelay: notOffsets, block: notBlocks },
    plain: { kind: 'leakyQueue', leak: 2, every: 60_000, maxDelay: 1000 } as Policy,
  },
}

for (const [name, { build, good, required, bad, plain }] of Object.entries(subjects)) {
  test(`${name} builds frozen plain data`, () => {
    const policy = build(good)
    expect([policy, Object.isFrozen(policy)]).toEqual([plain, true])
    expect(Object.getPrototypeOf(policy)).toBe(Object.prototype)
  })

  test(`${name} leaves the options that it was given alone`, () => {
    const options = { ...good }
    build(options)
    expect(options).toEqual(good)
  })

  test(`a ${name} policy that went through JSON decides as the policy itself`, () => {
    const policy = build(good)
    const [first, second] = [policy, JSON.parse(JSON.stringify(policy)) as Policy].map(decisions)
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

  test.each(required)(`${name} asks for the missing option %s`, (option) => {
    const error = errorOf(() => build({ ...good, [option]: undefined }))
    expect([error.code, error.message.startsWith(`${name}: "${option}" is missing`)]).toEqual([
      'SLUICE_OPTION_MISSING',
      true,
    ])
  })

  test(`${name} names an option that it does not know, and those that it does`, () => {
    const error = errorOf(() => build({ ...good, limmit: 5 }))
    const known = Object.keys(bad).map((option) => `"${option}"`)
    expect([error.code, error.message]).toEqual([
      'SLUICE_OPTION_UNKNOWN',
      `${name}: there is no option "limmit". It takes ${known.join(', ')}.`,
    ])
  })

  test.each([[undefined], [null], [5], ['5/m'], [[]], [() => 5]])(
    `${name} refuses %o in the place of its options`,
    (options) => {
      expect(errorOf(() => build(options)).code).toBe('SLUICE_OPTIONS_INVALID')
    },
  )

  test(`a ${name} policy read from a file is checked as ${name} checks it`, () => {
    const fromFile = { kind: name, ...good }
    const [option] = required
    const error = errorOf(() => limiterOf({ ...fromFile, [option]: '5' }))
    expect([
      error.code,
      error.message.startsWith(`${name}: "${option}" is the string "5"`),
    ]).toEqual(['SLUICE_OPTION_INVALID', true])
    expect(limiterOf(fromFile).peek('key')).toEqual(limiterOf(plain).peek('key'))
  })
}

test.each<[string, (more: number) => Policy]>([
  ['fixedWindow', (more) => fixedWindow({ limit: 2 ** 43 - 1 + more, window: 1024 })],
  ['slidingWindow', (more) => slidingWindow({ limit: 2 ** 43 - 1 + more, window: 1024 })],
  ['gcra', (more) => gcra({ limit: 1023 + more, window: 1024, burst: 2 ** 43 - 1 })],
  [
    'tokenBucket',
    (more) => tokenBucket({ capacity: 2 ** 43 - 1, refill: 1023 + more, every: 1024 }),
  ],
])('%s refuses numbers whose product a double cannot hold, from 2^53 on', (name, build) => {
  expect(build(0).kind).toBe(name)
  expect(errorOf(() => build(1)).code).toBe('SLUICE_NUMBERS_TOO_LARGE')
})

test('a policy has its block, read as its other options are', () => {
  const policy = gcra({ limit: 5, window: '1m', block: { for: '10m', escalate: 2 } })
  expect(policy.block).toEqual({ for: 600_000, on: 'reached', escalate: 2, max: 315_576_000_000 })
  expect(Object.isFrozen(policy.block)).toBe(true)
})

test.each<[string, unknown, string]>([
  ['for', {}, 'SLUICE_OPTION_MISSING'],
  ['for', { for: -1 }, 'SLUICE_OPTION_INVALID'],
  ['on', { for: 1000, on: 'always' }, 'SLUICE_OPTION_INVALID'],
  ['escalate', { for: 1000, escalate: 0.5 }, 'SLUICE_OPTION_INVALID'],
  ['max', { for: 1000, max: '0s' }, 'SLUICE_OPTION_INVALID'],
  ['duration', { for: 1000, duration: 5 }, 'SLUICE_OPTION_UNKNOWN'],
])('a block is refused for its %s: %o', (option, block, code) => {
  const error = errorOf(() => gcra({ limit: 5, window: '1m', block: block as never }))
  expect([error.code, error.message.includes(`"${option}"`)]).toEqual([code, true])
})

test('staged is made of two policies that have no block and no stages', () => {
  const free = fixedWindow({ limit: 2, window: '1d' })
  const then = gcra({ limit: 1, window: '2s' })
  expect(staged({ free, then })).toEqual({ kind: 'staged', free, then })
  const blocked = gcra({ limit: 1, window: '2s', block: { for: '1m' } })
  for (const wrong of [blocked, staged({ free, then }), {}, 5, null]) {
    expect(errorOf(() => staged({ free, then: wrong as never })).code).toBe('SLUICE_OPTION_INVALID')
  }
})

test('unlimited takes no options', () => {
  expect(unlimited()).toEqual({ kind: 'unlimited' })
  expect(errorOf(() => unlimited({ limit: 5 })).code).toBe('SLUICE_OPTION_UNKNOWN')
})

test('gcra takes its limit as its burst', () => {
  expect(gcra({ limit: 7, window: 1000 }).burst).toBe(7)
})

/** A limiter by policies that the compiler has not seen. */
function limiterOf(policies: object) {
  return createLimiter({ name: 'test', policies } as never)
}

/** What eight requests, one each seven seconds, are told. */
function decisions(policies: Policy) {
  let now = 1_700_000_000_000
  const limiter = createLimiter({ name: 'test', policies, clock: () => (now += 7000) })
  return Array.from({ length: 8 }, () => limiter.consume('key'))
}
