import type { Algorithm } from '../algorithm.js'
import { windowSteps } from '../window.js'
import type { Calendar } from './calendar.js'

export interface CalendarWindowParams {
  readonly limit: number
  readonly calendar: Calendar
  /** The usual length of the window: 31 days for a month. */
  readonly nominalMs: number
}

export const calendarWindowSteps: Algorithm<CalendarWindowParams> = {
  id: 6,
  // Redis has no time zones. It receives the boundaries around now and finds the window by its own clock.
  args: ({ limit, calendar }, now) => [limit, ...calendar.boundariesAround(now)],
  isDated: true,
  ...windowSteps<CalendarWindowParams>((time, { calendar }) => calendar.endOf(time)),
  windowMs: ({ nominalMs }) => nominalMs,
  followsWall: () => true,
}
