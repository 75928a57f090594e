import { longestLine } from './lines.js'
import type { Cutter, LogRecord, SkipReason } from './record.js'

/** Reads a line. Skips a line that is too long, and a request that began or ended at an impossible time, such as `"time":1e300`. */
export function cutLine(
  cutter: Cutter,
  text: string,
  start: number,
  end: number,
): LogRecord | SkipReason {
  if (end - start > longestLine) return 'too long'
  const cut = cutter.cut(text, start, end)
  if (typeof cut === 'string') return cut
  const { time, durationMs = 0 } = cut
  return time - durationMs >= 0 && time <= latestTime ? cut : 'impossible time'
}

/** The end of the year 6399. A replay refuses times from 2^47 on, in the year 6429, and no window is longer than ten years. */
const latestTime = Date.UTC(6400, 0) - 1
