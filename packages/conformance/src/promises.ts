import type { Admission } from './models/model.js'

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
  const units = new Map<number, number>()
  for (const { at, cost } of admissions) {
    const window = Math.floor((at - offsetMs) / windowMs)
    units.set(window, (units.get(window) ?? 0) + cost)
  }
  return Math.max(0, ...units.values())
}

/** The most units by which any stretch of the traffic exceeds the burst and what `rate / perMs` brings meanwhile. */
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
