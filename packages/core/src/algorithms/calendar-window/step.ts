import type { RowAlgorithm } from '../algorithm.js'
import { functionsOf } from '../plain-lua.js'
import { windowLua, windowSteps } from '../window.js'
import type { Calendar } from './calendar.js'

export type CalendarWindowParams = {
  readonly limit: number
  readonly calendar: Calendar
  /** The usual length of the window: 31 days for a month. */
  readonly nominalMs: number
}

export const calendarWindowSteps: RowAlgorithm<CalendarWindowParams> = {
  id: 6,
  // Redis has no time zones. It receives the boundaries around now and finds the window by its own clock.
  args: ({ limit, calendar }, now) => [limit, ...calendar.boundariesAround(now)],
  datedArgs: true,
  ...windowSteps<CalendarWindowParams>((since, { calendar }) => calendar.endOf(since)),
  windowMs: ({ nominalMs }) => nominalMs,
  followsWall: () => true,
}

/** params: 1 limit, then the boundaries of the windows around now. If now is outside of them, the error STALE asks the client for others. */
export const calendarWindowLua = (): string => {
  const window = windowLua('closing(row[1], params)')
  const look = `
    if now < params[2] or now >= params[#params] then error('STALE', 0) end
    ${window.look}`
  const closing = `
  local function closing(since, params)
    for i = 2, #params do
      if since < params[i] then return params[i] end
    end
    error('STALE', 0)
  end`
  return functionsOf({ ...window, look }, closing)
}
