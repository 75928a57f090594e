import { windowLua } from '../window.js'

/** params: 1 limit, then the boundaries of the windows around now. If now is outside of them, the error STALE asks the client for others. */
export const calendarWindowLua = (): string => `
(function()
  local steps = ${windowLua(`
    for i = 2, #params do
      if since < params[i] then return params[i] end
    end
    error('STALE', 0)`)}
  local look = steps.look

  function steps.look(row, params, now, cost)
    if now < params[2] or now >= params[#params] then error('STALE', 0) end
    return look(row, params, now, cost)
  end

  return steps
end)()`
