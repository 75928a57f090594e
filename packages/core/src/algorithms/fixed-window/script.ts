export const fixedWindowLua: string = `
-- row: 1 a moment in the window: that of its first admitted request, 2 the units taken in it
-- params: 1 limit, 2 window, 3 aligned, 4 offset
(function()
  local function closing(row, params)
    if params[3] == 0 then return row[1] + params[2] end
    return row[1] - (row[1] - params[4]) % params[2] + params[2]
  end

  return {
    look = function(row, params, now, cost)
      if row[2] == 0 or now >= closing(row, params) then
        row[1], row[2] = now, 0
      end
      return params[1] > 0 and row[2] + cost <= params[1]
    end,

    take = function(row, params, now, cost)
      row[2] = row[2] + cost
    end,

    ends = function(row, params)
      return row[2] == 0 and 0 or closing(row, params)
    end,
  }
end)()`
