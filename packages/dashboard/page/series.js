/** @import { LimiterView, Series, View } from './view.js' */

/**
 * A line of the chart. `isApart`: it is no part of the sum, because its requests are in other lines too.
 * @typedef {{ readonly label: string, readonly values: readonly number[], readonly color: string, readonly isApart?: boolean }} Line
 */

const lineColors = ['line-1', 'line-2', 'line-3', 'line-4', 'line-5']

/**
 * The limiters that the page shows: all, or the one with this name.
 * @param {View} view
 * @param {string} scope
 */
export function limitersIn({ limiters }, scope) {
  return scope === '' ? limiters : limiters.filter(({ name }) => name === scope)
}

/**
 * The sums of several limiters in each step.
 * @param {readonly LimiterView[]} limiters
 */
export function totalsOf(limiters) {
  const sum = (/** @type {'allowed' | 'denied' | 'exempt' | 'wouldDeny'} */ outcome) =>
    sumOf(limiters.map(({ series }) => series[outcome]))
  const [allowed, denied, exempt] = [sum('allowed'), sum('denied'), sum('exempt')]
  return {
    allowed,
    denied,
    exempt,
    wouldDeny: sum('wouldDeny'),
    all: sumOf([allowed, denied, exempt]),
  }
}

/** @param {readonly (readonly number[])[]} lists @returns {readonly number[]} */
export function sumOf(lists) {
  const [first = [], ...others] = lists
  return first.map((value, i) => others.reduce((sum, list) => sum + (list[i] ?? 0), value))
}

/** @param {readonly number[]} values */
export function total(values) {
  return values.reduce((sum, value) => sum + value, 0)
}

/**
 * The requests a second: in the current step and the one before it.
 * @param {readonly number[]} values
 * @param {Series} series
 * @param {number} at
 */
export function rateNow(values, series, at) {
  const last = values.length - 1
  const ms = at - series.startsAt - (last - 1) * series.stepMs
  return ((values[last] ?? 0) + (values[last - 1] ?? 0)) / (ms / 1000)
}

/**
 * The lines of the chart, as rates a second without the current step, which is not complete.
 * @param {readonly LimiterView[]} limiters
 * @param {'outcome' | 'limiter' | 'policy'} shape
 * @returns {{ times: readonly number[], lines: readonly Line[], isStacked: boolean }}
 */
export function chartOf(limiters, shape) {
  const [first] = limiters
  if (first === undefined) return { times: [], lines: [], isStacked: false }
  const { startsAt, stepMs, allowed } = first.series
  const end = allowed.length - 1
  const start = firstStep(totalsOf(limiters).all, end)
  const times = Array.from({ length: end - start }, (_, i) => startsAt + (start + i) * stepMs)
  const lines = shape === 'outcome' ? outcomesOf(limiters) : denialsOf(limiters, shape)
  const rates = lines.map((line) => {
    const values = line.values.slice(start, end).map((value) => (value * 1000) / stepMs)
    return Object.assign({}, line, { values })
  })
  return { times, lines: rates, isStacked: shape === 'outcome' }
}

/** The chart begins with the first request, and shows ten minutes at least. @param {readonly number[]} values @param {number} end */
function firstStep(values, end) {
  const first = values.findIndex((value) => value > 0)
  return Math.max(0, Math.min(first === -1 ? end : first, end - 60))
}

/** @param {readonly LimiterView[]} limiters @returns {readonly Line[]} */
function outcomesOf(limiters) {
  const { allowed, denied, exempt, wouldDeny } = totalsOf(limiters)
  const lines = [
    { label: 'allowed', values: allowed, color: 'allowed' },
    { label: 'exempt', values: exempt, color: 'exempt' },
    { label: 'denied', values: denied, color: 'denied' },
    { label: 'would deny', values: wouldDeny, color: 'would-deny', isApart: true },
  ]
  const isUsual = (/** @type {string} */ label) => label === 'allowed' || label === 'denied'
  return lines.filter(({ label, values }) => isUsual(label) || total(values) > 0)
}

/**
 * The denials of a limiter or a policy, and those that deny no request if there are any.
 * @param {string} label
 * @param {{ readonly denied: readonly number[], readonly wouldDeny?: readonly number[] }} counts
 */
function linesOf(label, { denied, wouldDeny = [] }) {
  const enforced = { label, values: denied }
  if (total(wouldDeny) === 0) return [enforced]
  const others = { label: `${label}, would deny`, values: wouldDeny }
  return total(denied) === 0 ? [others] : [enforced, others]
}

/**
 * The denials of each limiter, policy or rule: the five with the most, and the sum of the others.
 * @param {readonly LimiterView[]} limiters
 * @param {'limiter' | 'policy'} shape
 * @returns {readonly Line[]}
 */
function denialsOf(limiters, shape) {
  const isOne = limiters.length === 1
  const all = limiters.flatMap(({ name, series, policies }) =>
    shape === 'limiter'
      ? linesOf(name, series)
      : policies.flatMap((policy) =>
          linesOf(isOne ? policy.name : `${name} · ${policy.name}`, policy),
        ),
  )
  const sorted = all.toSorted((a, b) => total(b.values) - total(a.values))
  const most = sorted
    .slice(0, lineColors.length)
    .map(({ label, values }, i) => ({ label, values, color: lineColors[i] ?? 'others' }))
  const others = sorted.slice(lineColors.length)
  if (others.length === 0) return most
  const values = sumOf(others.map((line) => line.values))
  return [...most, { label: `${others.length} others`, values, color: 'others' }]
}
