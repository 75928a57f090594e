import type { LimiterView, Series } from './page-view.js'

/** The requests of a limiter. */
export interface Rates {
  /** Requests in a second, now. */
  readonly asked: number
  readonly denied: number
  /** Requests of the whole series, which is an hour. */
  readonly askedInHour: number
  readonly deniedInHour: number
  /** Denials that deny no request: of shadow rules, of rules that add a tag, and of dry runs. */
  readonly wouldDenyInHour: number
}

/** The rates of a limiter, by the last complete step and the current one: the current one alone would begin at 0 every ten seconds. */
export function ratesOf({ series }: LimiterView, at: number): Rates {
  const { startsAt, stepMs, allowed, denied, exempt, wouldDeny } = series
  const steps = denied.length
  const currentAt = startsAt + (steps - 1) * stepMs
  const complete = steps > 1 ? stepMs : 0
  // A clock of another process can be a little ahead.
  const currentMs = Math.min(stepMs, Math.max(0, at - currentAt))
  const seconds = Math.max(1, (complete + currentMs) / 1000)
  const recent = (counts: Series['denied']): number => sum(counts.slice(-2)) / seconds
  return {
    asked: recent(allowed) + recent(denied) + recent(exempt),
    denied: recent(denied),
    askedInHour: sum(allowed) + sum(denied) + sum(exempt),
    deniedInHour: sum(denied),
    wouldDenyInHour: sum(wouldDeny),
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
