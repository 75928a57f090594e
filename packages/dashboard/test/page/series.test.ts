import { expect, test } from 'vitest'
import { chartOf, rateNow, totalsOf } from '../../page/series.js'
import type { LimiterView } from '../../page/view.js'

const stepMs = 10_000

function limiter(name: string, denied: readonly number[], policies = [name]): LimiterView {
  const none = { keys: [], total: 0, unlisted: 0, sinceAt: 0 }
  return {
    name,
    canAct: true,
    policies: policies.map((policy, i) => ({
      name: policy,
      denied: denied.map((value) => (i === 0 ? value : 0)),
    })),
    series: {
      startsAt: 60_000,
      stepMs,
      allowed: denied.map((value) => value * 2),
      denied,
      exempt: denied.map(() => 0),
      wouldDeny: denied.map(() => 0),
    },
    top: { requests: none, denials: none },
    denied: [],
    deniedTotal: 0,
  }
}

test('the sums of several limiters', () => {
  const sums = totalsOf([limiter('a', [1, 2, 3]), limiter('b', [10, 0, 5])])
  expect(sums).toEqual({
    allowed: [22, 4, 16],
    denied: [11, 2, 8],
    exempt: [0, 0, 0],
    wouldDeny: [0, 0, 0],
    all: [33, 6, 24],
  })
})

test('the rate now covers the current step, as far as it has passed, and the one before', () => {
  const { series } = limiter('a', [0, 100, 50])
  expect(rateNow(series.denied, series, 60_000 + 2 * stepMs + 5000)).toBe(10)
})

test('the chart has rates a second of the complete steps', () => {
  expect(chartOf([limiter('a', [10, 20, 30])], 'outcome')).toEqual({
    times: [60_000, 70_000],
    isStacked: true,
    lines: [
      { label: 'allowed', values: [2, 4], color: 'allowed' },
      { label: 'denied', values: [1, 2], color: 'denied' },
    ],
  })
})

test('exempt requests have a line if any were made', () => {
  const one = limiter('a', [10, 20, 30])
  const exempt = { ...one, series: { ...one.series, exempt: [0, 10, 0] } }
  expect(chartOf([exempt], 'outcome').lines.map(({ label }) => label)).toEqual([
    'allowed',
    'exempt',
    'denied',
  ])
})

test('denials that deny no request have lines of their own, which the sum does not contain', () => {
  const one = limiter('a', [10, 20, 30], ['minute', 'trial'])
  const [minute, trial] = one.policies
  const wouldDeny = [0, 40, 10]
  const view = {
    ...one,
    series: { ...one.series, wouldDeny },
    policies: [minute, { ...trial, wouldDeny }],
  }
  const linesOf = (shape: 'outcome' | 'limiter' | 'policy') =>
    chartOf([view], shape).lines.map(({ label, values, isApart }) => [label, values, isApart])
  expect(linesOf('outcome')).toEqual([
    ['allowed', [2, 4], undefined],
    ['denied', [1, 2], undefined],
    ['would deny', [0, 4], true],
  ])
  expect(totalsOf([view]).all).toEqual([30, 60, 90])
  expect(linesOf('limiter')).toEqual([
    ['a', [1, 2], undefined],
    ['a, would deny', [0, 4], undefined],
  ])
  expect(linesOf('policy')).toEqual([
    ['minute', [1, 2], undefined],
    ['trial, would deny', [0, 4], undefined],
  ])
})

test('the five limiters with the most denials have a line, and the others one together', () => {
  const limiters = [1, 2, 3, 4, 5, 6, 7].map((n) => limiter(`limiter ${n}`, [n * 10, n * 10, 0]))
  const { lines } = chartOf(limiters, 'limiter')
  expect(lines.map(({ label, values }) => [label, values[0]])).toEqual([
    ['limiter 7', 7],
    ['limiter 6', 6],
    ['limiter 5', 5],
    ['limiter 4', 4],
    ['limiter 3', 3],
    ['2 others', 3],
  ])
})

test('with several limiters, a policy has the name of its limiter', () => {
  const limiters = [limiter('api', [30, 0], ['minute', 'day']), limiter('login', [10, 0])]
  const labels = (shown: readonly LimiterView[]) =>
    chartOf(shown, 'policy').lines.map(({ label }) => label)
  expect(labels(limiters)).toEqual(['api · minute', 'login · login', 'api · day'])
  expect(labels(limiters.slice(0, 1))).toEqual(['minute', 'day'])
})

test('the chart begins with the first request, and shows ten minutes at least', () => {
  const zeros = Array.from({ length: 360 }, () => 0)
  const stepsOf = (denied: readonly number[]) => chartOf([limiter('a', denied)], 'outcome').times
  expect(stepsOf(zeros.with(100, 1))).toHaveLength(259)
  expect(stepsOf(zeros.with(100, 1))[0]).toBe(60_000 + 100 * stepMs)
  expect(stepsOf(zeros.with(350, 1))).toHaveLength(60)
  expect(stepsOf(zeros)).toHaveLength(60)
})
