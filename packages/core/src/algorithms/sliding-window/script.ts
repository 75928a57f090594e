export const slidingWindowLua = (): string => `
-- row: 1 a time in the current sub-window, 2 the units taken in it, 3 the units taken in the sub-window before, …
-- params: 1 limit, 2 length of a sub-window, 3 number of older sub-windows that count, 4 whether the oldest is weighted
(function()
  local function opening(row, size)
    return row[1] - row[1] % size
  end

  local function ends(row, params)
    for i = 0, params[3] do
      if row[2 + i] > 0 then return opening(row, params[2]) + (params[3] + 1 - i) * params[2] end
    end
    return 0
  end

  local function forgetIfEmpty(row, params)
    if ends(row, params) == 0 then row[1] = 0 end
  end

  return {
    look = function(row, params, now, cost)
      local limit, size, older, weighted = params[1], params[2], params[3], params[4]
      local passed = (now - now % size - opening(row, size)) / size
      if passed > 0 then
        for i = older, 0, -1 do row[2 + i] = i >= passed and row[2 + i - passed] or 0 end
        row[1] = now
      end
      local room = limit - cost
      for i = 0, older - weighted do room = room - row[2 + i] end
      local elapsed = math.max(0, now - opening(row, size))
      return limit > 0 and room >= 0 and weighted * row[2 + older] * (size - elapsed) <= room * size
    end,

    take = function(row, params, now, cost)
      row[2] = row[2] + cost
    end,

    refundReceipt = function(row, params, now, cost, receipt)
      local passed = (opening(row, params[2]) - opening(receipt, params[2])) / params[2]
      local known = passed > 0 or row[1] == receipt[1]
      if not known or passed < 0 or passed > params[3] then return end
      local refunded = math.min(cost, row[2 + passed])
      row[2 + passed] = row[2 + passed] - refunded
      if refunded > 0 then forgetIfEmpty(row, params) end
    end,

    refundUnits = function(row, params, now, units)
      local left = units
      for i = 2, 2 + params[3] do
        local refunded = math.min(left, row[i])
        row[i] = row[i] - refunded
        left = left - refunded
      end
      if left < units then forgetIfEmpty(row, params) end
    end,

    ends = ends,
  }
end)()`
