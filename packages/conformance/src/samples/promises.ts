import type { Admission } from '../models/model.js'

/** The most units in one window that begins at the first admission after the window before. */
export function unitsPerWindow(admissions: readonly Admission[], windowMs: number): number {
  let most = 0
  let units = 0
  let start = -Infinity
  for (const { at, cost } of admissions) {
    if (cost > 0 && at >= start + windowMs) {
      start = at
      units = 0
    }
    units += cost
    most = Math.max(most, units)
  }
  return most
}

/** The most units in one window on the clock. */
export function unitsPerClockWindow(
  admissions: readonly Admission[],
  windowMs: number,
  offsetMs: number,
): number {
  return unitsPerName(admissions, (at) => Math.floor((at - offsetMs) / windowMs))
}

/** The most units in `count` consecutive windows on the clock. */
export function unitsPerClockWindows(
  admissions: readonly Admission[],
  windowMs: number,
  count: number,
): number {
  let most = 0
  for (const [i, { at }] of admissions.entries()) {
    const last = Math.floor(at / windowMs)
    let units = 0
    for (const { at, cost } of admissions.slice(0, i + 1)) {
      if (Math.floor(at / windowMs) > last - count) units += cost
    }
    most = Math.max(most, units)
  }
  return most
}

/** The most units in any half-open interval of one window. */
export function unitsWithin(admissions: readonly Admission[], windowMs: number): number {
  let most = 0
  for (const [last, { at: to }] of admissions.entries()) {
    let units = 0
    for (const { at, cost } of admissions.slice(0, last + 1)) {
      if (at > to - windowMs) units += cost
    }
    most = Math.max(most, units)
  }
  return most
}

/** The most units in one window, by the names of the windows at the moments of the admissions. */
export function unitsPerName(
  admissions: readonly Admission[],
  nameOf: (at: number) => number | string,
): number {
  const units = new Map<number | string, number>()
  for (const { at, cost } of admissions) {
    const name = nameOf(at)
    units.set(name, (units.get(name) ?? 0) + cost)
  }
  return Math.max(0, ...units.values())
}

/** The most units by which any part of the traffic exceeds the burst plus the refill of `rate / perMs` in that time. */
export function arrivalCurve(
  admissions: readonly Admission[],
  burst: number,
  rate: number,
  perMs: number,
): number {
  let most = 0
  for (const [first, { at: from }] of admissions.entries()) {
    let units = 0
    for (const { at, cost } of admissions.slice(first)) {
      units += cost
      const brought = Number((BigInt(at - from) * BigInt(rate)) / BigInt(perMs))
      most = Math.max(most, units - burst - brought)
    }
  }
  return most
}

/** How often a queue was longer than allowed: all units allowed since any moment, without the request itself, must drain within `maxDelay`. */
export function queueCurve(
  admissions: readonly Admission[],
  leak: number,
  every: number,
  maxDelay: number,
): number {
  let late = 0
  for (const [last, { at: to }] of admissions.entries()) {
    let ahead = 0n
    for (const { at: from, cost } of admissions.slice(0, last).toReversed()) {
      ahead += BigInt(cost) * BigInt(every)
      if (ahead > BigInt(to - from + maxDelay) * BigInt(leak)) late++
    }
  }
  return late
}
