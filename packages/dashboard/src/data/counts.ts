import { isCount } from '@sluice/core/internal'
import { isList } from '../list.js'
import { stepCount, stepMs } from '../collect/steps.js'

/** The steps of a minute. */
const stepsOfMinute = 60_000 / stepMs

/** The last minutes that are written step by step, besides the current one. */
const fineMinutes = 14

/**
 * The counts of an hour as a process writes them: those of whole minutes, of older steps together, and those of the last steps. A snapshot has no room for all
 * steps. Undefined if there are no counts.
 */
export type Counts = CountsOfHour | undefined

interface CountsOfHour {
  /** The number of the first minute. */
  readonly minute: number
  readonly minutes: readonly number[]
  /** The number of the first step that is written by itself. */
  readonly step: number
  readonly steps: readonly number[]
}

/** The first minute and the first step of the form, for series that begin at a time. */
function layoutOf(startsAt: number): { first: number; minute: number; step: number } {
  const first = Math.round(startsAt / stepMs)
  const last = first + stepCount - 1
  const step = Math.floor(last / stepsOfMinute - fineMinutes) * stepsOfMinute
  return { first, minute: Math.floor(first / stepsOfMinute), step }
}

/** Writes the counts of each step. */
export function writeCounts(counts: readonly number[], startsAt: number): unknown {
  if (sumOfCounts(counts) === 0) return 0
  const { first, minute, step } = layoutOf(startsAt)
  const minutes = Array<number>(step / stepsOfMinute - minute).fill(0)
  for (let i = 0; i < step - first; i++) {
    minutes[Math.floor((first + i) / stepsOfMinute) - minute] += counts[i]
  }
  return [minutes, counts.slice(step - first)]
}

/**
 * Reads what `writeCounts` wrote.
 *
 * @throws TypeError if the form is wrong
 */
export function readCounts(form: unknown, startsAt: number): Counts {
  if (form === 0) return undefined
  const { first, minute, step } = layoutOf(startsAt)
  if (isList(form)) {
    const [minutes, steps] = form
    const isWhole =
      areCounts(minutes, step / stepsOfMinute - minute) &&
      areCounts(steps, stepCount - (step - first))
    if (isWhole) return { minute, minutes, step, steps }
  }
  throw new TypeError('these are no counts')
}

function areCounts(value: unknown, length: number): value is readonly number[] {
  if (!isList(value) || value.length !== length) return false
  for (let i = 0; i < length; i++) if (!isCount(value[i])) return false
  return true
}

/** Adds up the counts of several processes, for series that begin at a time. */
export class CountsSum {
  readonly #first: number
  readonly #steps: number[]
  readonly #minute: number
  #minutes: number[] | undefined

  /** @param own the counts of this process, which has all steps */
  constructor(startsAt: number, own: readonly number[] | undefined) {
    this.#first = Math.round(startsAt / stepMs)
    this.#minute = Math.floor(this.#first / stepsOfMinute)
    this.#steps = own === undefined ? Array<number>(stepCount).fill(0) : [...own]
  }

  add(counts: Counts): void {
    if (counts === undefined) return
    const { minute, minutes, step, steps } = counts
    const shift = step - this.#first
    const end = Math.min(steps.length, stepCount - shift)
    for (let i = Math.max(0, -shift); i < end; i++) this.#steps[shift + i] += steps[i]
    this.#minutes ??= Array<number>(stepCount / stepsOfMinute + 1).fill(0)
    const later = minute - this.#minute
    for (let i = Math.max(0, -later); i < minutes.length; i++) {
      if (later + i < this.#minutes.length) this.#minutes[later + i] += minutes[i]
    }
  }

  /** The counts of each step. Those of a minute are spread over its steps, so that their sum stays the same. */
  counts(): readonly number[] {
    const steps = this.#steps
    this.#minutes?.forEach((count, i) => {
      if (count === 0) return
      const start = (this.#minute + i) * stepsOfMinute - this.#first
      const from = Math.max(0, start)
      const length = Math.min(stepCount, start + stepsOfMinute) - from
      for (let k = 0; k < length; k++) {
        steps[from + k] += Math.floor(((k + 1) * count) / length) - Math.floor((k * count) / length)
      }
    })
    this.#minutes = undefined
    return steps
  }
}

export function sumOfCounts(counts: readonly number[]): number {
  let sum = 0
  for (const count of counts) sum += count
  return sum
}
