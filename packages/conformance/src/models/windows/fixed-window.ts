import type { FixedWindowPolicy } from '@sluice/core'
import type { Admissions, Meaning } from '../model.js'

/** At most `limit` units in each window `[t, t + window)`. */
export function fixedWindowMeaning({ limit, window, align, offset }: FixedWindowPolicy): Meaning {
  const startOf = align === 'clock' ? onTheClock : fromTheFirst
  return {
    quota: limit,
    fits(admissions, at, cost) {
      const start = startOf(admissions, at)
      return unitsFrom(admissions, start) + cost <= limit
    },
  }

  /** The window begins where time - offset is a multiple of its length, before the offset as after it. */
  function onTheClock(_admissions: Admissions, at: number): number {
    const length = BigInt(window)
    const sinceOffset = BigInt(at) - BigInt(offset)
    const elapsed = ((sinceOffset % length) + length) % length
    return at - Number(elapsed)
  }

  /** Walks through all windows from the first on. A request that takes nothing opens no window. */
  function fromTheFirst(admissions: Admissions, at: number): number {
    let start = -Infinity
    for (const admission of admissions) {
      if (admission.cost > 0 && admission.at >= start + window) start = admission.at
    }
    return at < start + window ? start : at
  }
}

function unitsFrom(admissions: Admissions, start: number): number {
  return admissions.reduce((sum, { at, cost }) => (at >= start ? sum + cost : sum), 0)
}
