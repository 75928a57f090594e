import { quotientLua } from '../plain-lua.js'

export const bucketedWindowLua = (): string => `
-- row: 1 a time in the current sub-window, 2 its number, 3 the units taken in it, 4 the units taken in the sub-window before, …
-- params: 1 limit, 2 length of a sub-window, 3 number of older sub-windows that count, 4 whether the oldest is weighted
(function()
  local function opening(row, size)
    return row[1] - row[1] % size
  end

  local function ends(row, params)
    for i = 0, params[3] do
      if row[3 + i] > 0 then return opening(row, params[2]) + (params[3] + 1 - i) * params[2] end
    end
    return 0
  end

  return {
    look = function(row, params, now, cost)
      local limit, size, older, weighted = params[1], params[2], params[3], params[4]
      local passed = (now - now % size - opening(row, size)) / size
      if passed > 0 then
        for i = older, 0, -1 do row[3 + i] = i >= passed and row[3 + i - passed] or 0 end
        row[1], row[2] = now, passed > older and now or row[2] + passed
      end
      local left = limit - cost
      for i = 0, older - weighted do left = left - row[3 + i] end
      local units, elapsed, expired = weighted * row[3 + older], math.max(0, now - opening(row, size)), nil
      ${quotientLua('expired', 'elapsed', 'units', 'size')}
      return limit > 0 and left >= 0 and units - expired <= left
    end,

    take = function(row, params, now, cost)
      row[3] = row[3] + cost
    end,

    refund = function(row, params, now, units, taken)
      local passed = taken and row[2] - taken.row[2] or 0
      if passed < 0 or passed > params[3] then return end
      local refunded = 0
      for i = 3 + passed, 3 + (taken and passed or params[3]) do
        local part = math.min(units - refunded, row[i])
        row[i], refunded = row[i] - part, refunded + part
      end
      if refunded > 0 and ends(row, params) == 0 then row[1], row[2] = 0, 0 end
    end,

    ends = ends,
  }
end)()`
