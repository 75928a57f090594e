import { functionsOf } from '../plain-lua.js'
import { windowLua } from '../window-lua.js'

/** params: 1 limit, then the boundaries of the windows around now. If now is outside of them, the error STALE asks the client for others. */
export const calendarWindowLua = (): string => {
  const window = windowLua('closing(row[1], params)')
  const look = `
    if now < params[2] or now >= params[#params] then error('STALE', 0) end
    ${window.look}`
  const closing = `
  local function closing(time, params)
    for i = 2, #params do
      if time < params[i] then return params[i] end
    end
    error('STALE', 0)
  end`
  return functionsOf({ ...window, look }, closing)
}
