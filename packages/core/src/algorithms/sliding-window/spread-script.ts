export const spreadLua = (): string => `
-- row: 1 the start of the current window, 2 the start of the older window,
--      3 the units taken in the current one, 4 the ms from its start to its last unit, 5 and 6 the same for the older one,
--      7 (only in a receipt) the ms to the last unit before the take
-- params: 1 limit, 2 window
(function()
  local function gapsPassed(elapsed, gaps, span)
    local product = elapsed * gaps
    if product < 2 ^ 53 then return math.floor(product / span) end
    local passed, rest, unit = 0, 0, 2 ^ 52
    while unit >= 1 do
      local part = rest * 2 ^ 13 + elapsed * (math.floor(gaps / unit) % 2 ^ 13)
      passed = passed * 2 ^ 13 + math.floor(part / span)
      rest = part % span
      unit = unit / 2 ^ 13
    end
    return passed
  end

  local function stillCounting(row, window, now)
    local units, elapsed, span = row[5], now - window - row[2], row[6]
    if elapsed < 0 or units == 0 then return units end
    if elapsed >= span then return 0 end
    return units == 1 and 1 or units - 1 - gapsPassed(elapsed, units - 1, span)
  end

  local function refundNewest(row, units, refunded)
    local before = row[units]
    local kept = math.max(0, before - refunded)
    if kept == before then return end
    row[units] = kept
    row[units + 1] = kept > 1 and math.floor(row[units + 1] * (kept - 1) / (before - 1)) or 0
  end

  return {
    look = function(row, params, now, cost)
      local limit, window = params[1], params[2]
      if row[3] > 0 and now >= row[1] + window then
        row[2], row[5], row[6] = row[1], row[3], row[4]
        row[3] = 0
      end
      if row[3] == 0 then
        row[1], row[4] = math.max(now, row[2] + row[6]), 0
      end
      return limit > 0 and row[3] + stillCounting(row, window, now) + cost <= limit
    end,

    take = function(row, params, now, cost)
      if cost == 0 then return end
      row[7] = row[4]
      row[3] = row[3] + cost
      row[4] = math.max(row[4], now - row[1])
    end,

    refundReceipt = function(row, params, now, cost, receipt)
      local isCurrent = row[3] > 0 and row[1] == receipt[1]
      local isOlder = row[2] == receipt[1] and stillCounting(row, params[2], now) > 0
      if cost == 0 or not isCurrent and not isOlder then return end
      local units = isCurrent and 3 or 5
      local span = units + 1
      local isNewest = row[units] == receipt[3] and row[span] == receipt[4]
      if isNewest then row[span] = receipt[7] end
      row[units] = row[units] - math.min(cost, row[units])
    end,

    refundUnits = function(row, params, now, units)
      local left = units - math.min(units, row[3])
      refundNewest(row, 3, units)
      refundNewest(row, 5, left)
    end,

    ends = function(row, params)
      if row[3] > 0 then return row[1] + row[4] + params[2] end
      return row[5] > 0 and row[2] + row[6] + params[2] or 0
    end,
  }
end)()`
