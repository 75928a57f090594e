import type { LimiterView, Series, View } from '@sluice/dashboard'

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

/** A process writes its data every five seconds, and a page reads those of others every second. */
const writtenMs = 6000

/**
 * The rates of a limiter. Those of one process are of the last complete step and the current one: the current one alone would begin at 0 every ten seconds. Those
 * of several processes are of the last step that all of them have written.
 */
export function ratesOf({ series }: LimiterView, { at, processes }: View): Rates {
  const { startsAt, stepMs, allowed, denied, exempt, wouldDeny } = series
  const steps = denied.length
  // A clock of another process can be a little ahead.
  const currentMs = Math.min(stepMs, Math.max(0, at - (startsAt + (steps - 1) * stepMs)))
  const isOne = processes === 1
  const end = isOne ? steps : steps - (currentMs < writtenMs ? 2 : 1)
  const begin = Math.max(0, isOne ? steps - 2 : end - 1)
  const ms = isOne ? (steps > 1 ? stepMs : 0) + currentMs : stepMs
  const seconds = Math.max(1, ms / 1000)
  const recent = (counts: Series['denied']): number => sum(counts.slice(begin, end)) / seconds
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
