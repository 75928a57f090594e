import type { Algorithm } from '../algorithm.js'
import { windowSteps } from '../window.js'
import type { Calendar } from './calendar.js'
import { calendarWindowLua } from './script.js'

export type CalendarWindowParams = {
  readonly limit: number
  readonly calendar: Calendar
  /** How long such a window usually is: for a month, 31 days. */
  readonly nominalMs: number
}

export const calendarWindowSteps: Algorithm<CalendarWindowParams> = {
  id: 6,
  // Redis knows no time zones: it is sent the borders around now, and decides by its own clock between which of them it is.
  args: ({ limit, calendar }, now) => [limit, ...calendar.bordersAround(now)],
  datedArgs: true,
  lua: calendarWindowLua,
  ...windowSteps<CalendarWindowParams>((since, { calendar }) => calendar.endOf(since)),
  windowMs: ({ nominalMs }) => nominalMs,
  followsWall: () => true,
}
