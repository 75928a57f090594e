import { stepCount, stepMs, stepOf, sumOf, type Series } from '../collect/steps.js'

const minuteMs = 60_000

/** The points of an hour: 60 whole minutes, and the current one. */
export const mostMinutes = 61

function minuteOf(time: number): number {
  return Math.floor(time / minuteMs)
}

/** One point a minute of a series that ends at a time: the last point is the minute of that time. Empty if there are no counts. */
export function minutesOf(series: Series, at: number): Series {
  if (sumOf(series) === 0) return []
  const first = stepOf(at) - stepCount + 1
  const points = Array<number>(mostMinutes).fill(0)
  series.forEach((count, i) => {
    points[minuteOf((first + i) * stepMs) - minuteOf(at) + mostMinutes - 1] += count
  })
  return points
}

/**
 * Adds the minutes of another process to the steps of this one. Each is spread over its steps so that their sum stays the same; the last one as far as it had
 * passed when the other process wrote it.
 */
export function addMinutes(steps: number[], at: number, minutes: Series, writtenAt: number): void {
  const first = stepOf(at) - stepCount + 1
  minutes.forEach((count, i) => {
    const minute = (minuteOf(writtenAt) - minutes.length + 1 + i) * minuteMs
    const begins = Math.max(minute, first * stepMs)
    const ends = Math.max(begins + 1, Math.min(minute + minuteMs, writtenAt))
    if (minute + minuteMs <= begins) return
    let given = 0
    for (let step = stepOf(begins); given < count; step++) {
      const part = Math.min(1, ((step + 1) * stepMs - begins) / (ends - begins))
      const sum = Math.round(count * part)
      // A clock that is ahead has counted steps that have not begun here.
      if (step - first < stepCount) steps[step - first] += sum - given
      given = sum
    }
  })
}
