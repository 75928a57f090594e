import {
  calendarWindow,
  concurrency,
  fixedWindow,
  gcra,
  leakyBucket,
  leakyQueue,
  slidingLog,
  slidingWindow,
  tokenBucket,
  type Policy,
} from '../src/index.js'
import type { PolicyKind } from '../src/internal.js'

type Build = (options: unknown) => Policy

/** A policy builder, called without types. */
export interface Builder {
  readonly build: Build
  readonly good: Readonly<Record<string, unknown>>
  /** The policy that it builds from these options. */
  readonly plain: Readonly<Record<string, unknown>>
  readonly required: readonly string[]
  /** Every option in the order of the documentation, with values that are invalid for it. */
  readonly bad: Readonly<Record<string, readonly unknown[]>>
}

const notNumbers = ['100', '', null, true, [], [1], {}, 5n]
const notCounts = [-1, 1.5, Number.NaN, Infinity, -Infinity, 2 ** 53, ...notNumbers]
const notRates = [...notCounts, 0]
const notLengths = [-1, 0, 0.5, 1.5, Number.NaN, Infinity, 315_576_000_001, null, true, [], {}, 5n]
const notTexts = [
  '',
  '10',
  's',
  '0s',
  '-1s',
  '1  s',
  ' 1s',
  '1s ',
  '1S',
  '1 Minute',
  '1M',
  '1mo',
  '1 month',
  '1e3s',
  '1.0005s',
  '0.5ms',
  '4000d',
  '1m30s',
]
const notDurations = [...notLengths, ...notTexts]
const notOffsets = notDurations.filter((value) => value !== 0 && value !== '0s')
const notBlocks = [null, true, 60_000, '1m', '', () => 5]
const notWords = ['', 'First', 'none', 1, null, true]

/** The others are built of policies, or of nothing. */
export const builders: Readonly<Record<Exclude<PolicyKind, 'staged' | 'unlimited'>, Builder>> = {
  fixedWindow: {
    build: untyped(fixedWindow),
    good: { limit: 5, window: '1m' },
    plain: { limit: 5, window: 60_000, align: 'first', offset: 0 },
    required: ['limit', 'window'],
    bad: {
      limit: notCounts,
      window: notDurations,
      align: notWords,
      offset: notOffsets,
      block: notBlocks,
    },
  },
  calendarWindow: {
    build: untyped(calendarWindow),
    good: { limit: 5, period: 'day', timeZone: 'Europe/Berlin' },
    plain: { limit: 5, period: 'day', timeZone: 'Europe/Berlin', weekStartsOn: 'monday' },
    required: ['limit', 'period', 'timeZone'],
    bad: {
      limit: notCounts,
      period: [...notWords, 'year', 'days'],
      timeZone: [...notWords, 'Mars/Phobos', 'Europe'],
      weekStartsOn: [...notWords, 'Monday'],
      block: notBlocks,
    },
  },
  slidingLog: {
    build: untyped(slidingLog),
    good: { limit: 5, window: '1m' },
    plain: { limit: 5, window: 60_000 },
    required: ['limit', 'window'],
    bad: { limit: [...notCounts, 2 ** 32], window: notDurations, block: notBlocks },
  },
  concurrency: {
    build: untyped(concurrency),
    good: { limit: 5, lease: '1m' },
    plain: { limit: 5, lease: 60_000 },
    required: ['limit', 'lease'],
    bad: { limit: notCounts, lease: notDurations, block: notBlocks },
  },
  slidingWindow: {
    build: untyped(slidingWindow),
    good: { limit: 5, window: '1m' },
    plain: { limit: 5, window: 60_000, buckets: 1, tail: 'spread' },
    required: ['limit', 'window'],
    bad: {
      limit: notCounts,
      window: notDurations,
      buckets: [...notRates, 7, 251],
      tail: notWords,
      block: notBlocks,
    },
  },
  gcra: {
    build: untyped(gcra),
    good: { limit: 5, window: '1m', burst: 2 },
    plain: { limit: 5, window: 60_000, burst: 2 },
    required: ['limit', 'window'],
    bad: { limit: notCounts, window: notDurations, burst: notRates, block: notBlocks },
  },
  tokenBucket: {
    build: untyped(tokenBucket),
    good: { capacity: 5, refill: 2, every: '1m' },
    plain: { capacity: 5, refill: 2, every: 60_000, initial: 5 },
    required: ['capacity', 'refill', 'every'],
    bad: {
      capacity: notCounts,
      refill: notRates,
      every: notDurations,
      initial: [...notCounts, 6],
      block: notBlocks,
    },
  },
  leakyBucket: {
    build: untyped(leakyBucket),
    good: { capacity: 5, leak: 2, every: '1m' },
    plain: { capacity: 5, leak: 2, every: 60_000 },
    required: ['capacity', 'leak', 'every'],
    bad: { capacity: notCounts, leak: notRates, every: notDurations, block: notBlocks },
  },
  leakyQueue: {
    build: untyped(leakyQueue),
    good: { leak: 1, every: '1m', maxDelay: '2m' },
    plain: { leak: 1, every: 60_000, maxDelay: 120_000 },
    required: ['leak', 'every', 'maxDelay'],
    bad: { leak: notRates, every: notDurations, maxDelay: notOffsets, block: notBlocks },
  },
}

function untyped(build: (options: never) => Policy): Build {
  return build as Build
}
