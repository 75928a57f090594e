import { quotientLua, type PlainLua } from '../plain-lua.js'

/** Sets `still` to the units of the older window that still count. */
const stillCountingLua = `
    local still, elapsed = row[5], now - params[2] - row[2]
    if still > 0 and elapsed >= 0 then
      if elapsed >= row[6] then still = 0
      elseif still > 1 then
        local gaps, passed = still - 1, nil
        ${quotientLua('passed', 'elapsed', 'gaps', 'row[6]')}
        still = gaps - passed
      end
    end`

// row: 1 the start of the current window, 2 the start of the older window,
//      3 the units taken in the current one, 4 the ms from its start to its last unit, 5 and 6 the same for the older one,
//      7 (only in a receipt) the ms to the last unit before the take
// params: 1 limit, 2 window
export const slidingWindowLua = (): PlainLua => ({
  look: `
    if row[3] > 0 and now >= row[1] + params[2] then
      row[2], row[5], row[6] = row[1], row[3], row[4]
      row[3] = 0
    end
    if row[3] == 0 then
      row[1], row[4] = math.max(now, row[2] + row[6]), 0
    end
    ${stillCountingLua}
    fits = params[1] > 0 and row[3] + still + cost <= params[1]`,

  take: `
    if cost > 0 then
      row[7] = row[4]
      row[3] = row[3] + cost
      if now - row[1] > row[4] then row[4] = now - row[1] end
    end`,

  ends: `
    ended = row[3] > 0 and row[1] + row[4] + params[2] or row[5] > 0 and row[2] + row[6] + params[2] or 0`,

  others: `
  local function isOlderCounting(row, params, now)
    ${stillCountingLua}
    return still > 0
  end

  local function refundNewest(row, units, refunded)
    local before = row[units]
    local kept = math.max(0, before - refunded)
    if kept == before then return end
    row[units] = kept
    row[units + 1] = kept > 1 and math.floor(row[units + 1] * (kept - 1) / (before - 1)) or 0
  end

  function steps.refund(row, params, now, units, taken)
    if not taken then
      local left = units - math.min(units, row[3])
      refundNewest(row, 3, units)
      refundNewest(row, 5, left)
      return
    end
    local receipt = taken.row
    local isCurrent = row[3] > 0 and row[1] == receipt[1]
    local isOlder = row[2] == receipt[1] and isOlderCounting(row, params, now)
    if units == 0 or not isCurrent and not isOlder then return end
    local at = isCurrent and 3 or 5
    if not taken.isPart and row[at] == receipt[3] and row[at + 1] == receipt[4] then row[at + 1] = receipt[7] end
    row[at] = row[at] - math.min(units, row[at])
  end
`,
})
