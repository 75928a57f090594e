import { describe, expect, test } from 'vitest'
import type { DeniedKey } from '../../src/view.js'
import { Collector } from '../../src/collect/collector.js'
import { mergedGroups, mergedLimiters } from '../../src/data/merge.js'
import {
  dataOf,
  emptyLimiter,
  type LimiterData,
  type ProcessData,
  type SharedData,
} from '../../src/data/process-data.js'

const start = Date.UTC(2026, 0, 1, 12)

const none: ProcessData = dataOf(new Collector(() => start, 1), [], [])

/** The data of one process about a limiter. */
function limiterOf(changes: Partial<LimiterData>): LimiterData {
  return { ...emptyLimiter('api', start), ...changes }
}

/** The same data as another process writes them. */
function sharedOf(changes: Partial<LimiterData>): SharedData {
  return { ...none, isNewer: false, limiters: [limiterOf(changes)] }
}

const run: DeniedKey = {
  key: 'ann',
  untilAt: start + 5000,
  policies: ['minute'],
  source: 'store',
  isBlocked: false,
  denials: 2,
  firstDeniedAt: start,
  lastDeniedAt: start + 1000,
}

/** A view of some processes: the first of them is this one. Or all of them are others. */
function views(all: readonly Partial<LimiterData>[]): readonly LimiterData[] {
  const [own, ...others] = all
  const ours = { ...none, limiters: [limiterOf(own)] }
  return [
    ...mergedLimiters(ours, others.map(sharedOf), []),
    ...mergedLimiters(none, all.map(sharedOf), []),
  ]
}

describe.each([
  ['in this order', <T>(all: readonly T[]): readonly T[] => all],
  ['in the other order', <T>(all: readonly T[]): readonly T[] => all.toReversed()],
])('processes %s', (_, inOrder) => {
  test('the last denial decides how long a key is denied, and why', () => {
    const earlier = { ...run, untilAt: start + 90_000, isBlocked: true, denials: 3 }
    const later = {
      ...run,
      policies: ['day'],
      source: 'fallback',
      firstDeniedAt: start + 500,
      lastDeniedAt: start + 2000,
    } as const
    for (const { runs } of views(inOrder([{ runs: [earlier] }, { runs: [later] }]))) {
      expect(runs).toMatchObject([
        {
          key: 'ann',
          untilAt: start + 5000,
          source: 'fallback',
          isBlocked: false,
          denials: 5,
          firstDeniedAt: start,
          lastDeniedAt: start + 2000,
        },
      ])
      expect(runs[0].policies.toSorted()).toEqual(['day', 'minute'])
    }
  })

  test('keys are counted since the earliest time of all processes', () => {
    const of = (sinceAt: number) => {
      const recent = { keys: [], unlisted: 0, sinceAt }
      return { requests: recent, denials: recent }
    }
    for (const { requests, denials } of views(
      inOrder([of(start - 7000), of(start - 9000), of(start)]),
    )) {
      expect([requests.sinceAt, denials.sinceAt]).toEqual([start - 9000, start - 9000])
    }
  })

  test('policies that share a key in any process are one group', () => {
    const all = inOrder([['a', 'b'], ['x'], ['c', 'd'], ['b', 'c']])
    expect(mergedGroups(all).map((names) => names.toSorted())).toEqual(
      expect.arrayContaining([['a', 'b', 'c', 'd'], ['x']]),
    )
    expect(mergedGroups(all)).toHaveLength(2)
  })

  test('the keys that other processes do not list are added up', () => {
    const all = inOrder([{ unlistedRuns: 0 }, { unlistedRuns: 7 }, { unlistedRuns: 5 }, {}])
    const [, ofOthers] = views(all)
    expect(ofOthers.unlistedRuns).toBe(12)
  })

  test('of several keys that were cleared, any one ends the denials before it', () => {
    const cleared = inOrder([
      { limiter: 'api', key: 'ann', at: start + 1000 },
      { limiter: 'api', key: 'ann', at: start - 1000 },
      { limiter: 'api', key: 'ann', at: start + 9000, policies: ['day'] },
      { limiter: 'other', key: 'ann', at: start + 9000 },
    ])
    const [{ runs }] = mergedLimiters(
      { ...none, limiters: [limiterOf({ runs: [run, { ...run, key: 'bob' }] })] },
      [],
      cleared,
    )
    expect(runs.map(({ key }) => key)).toEqual(['bob'])
  })
})
