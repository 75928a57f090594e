export const slidingWindowLua: string = `
-- row: 1 a moment in the current sub-window, 2 the units taken in it, 3 the units taken in the sub-window before
-- params: 1 limit, 2 window
(function()
  local function opening(row, window)
    return row[1] - row[1] % window
  end

  return {
    look = function(row, params, now, cost)
      local limit, window = params[1], params[2]
      local passed = now - now % window - opening(row, window)
      if passed > 0 then
        row[3] = passed == window and row[2] or 0
        row[2] = 0
        row[1] = now
      end
      local room = limit - row[2] - cost
      local elapsed = math.max(0, now - opening(row, window))
      return limit > 0 and room >= 0 and row[3] * (window - elapsed) <= room * window
    end,

    take = function(row, params, now, cost)
      row[2] = row[2] + cost
    end,

    ends = function(row, params)
      local window = params[2]
      if row[2] > 0 then return opening(row, window) + 2 * window end
      return row[3] > 0 and opening(row, window) + window or 0
    end,
  }
end)()`
