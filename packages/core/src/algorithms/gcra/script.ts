import { spans } from './fill.js'

export const gcraLua = (): string => `
-- row: 1 the theoretical arrival time: the time at which the key is idle again, in whole ms,
--      2 the rest of it, in fractions of 1 / refill ms,
--      3 the span of the policy at the last write, plus ${spans} times the units refunded since the row was created
-- params: 1 burst, 2 refill, 3 every, 4 initial, 5 how long a full bucket is kept if a new one has fewer units, 6 span
(function()
  local steps = {}

  local SPANS, MOST_REFUNDED = ${spans}, 2 ^ 36 - 1

  local function refundedUnits(row)
    return row[3] < SPANS and 0 or math.floor(row[3] / SPANS)
  end

  local function backlog(row, params, now)
    return (row[1] - now) * params[2] + row[2]
  end

  local function shorten(row, params, now, fractions)
    local refill = params[2]
    local refunded = math.min(fractions, backlog(row, params, now))
    if refunded <= 0 then return end
    local whole = math.floor(refunded / refill)
    local fraction = row[2] - (refunded - whole * refill)
    local borrow = fraction < 0 and 1 or 0
    row[1] = row[1] - whole - borrow
    row[2] = fraction + borrow * refill
    row[3] = row[3] + SPANS * math.min(math.ceil(refunded / params[3]), MOST_REFUNDED - refundedUnits(row))
  end

  local function lengthOf(span)
    return (span % 8192) * 10 ^ math.floor(span / 8192)
  end

  local function rescale(row, params, now)
    local span = params[6]
    if row[3] == span then return end
    local refunded = refundedUnits(row)
    local before = row[3] - refunded * SPANS
    if before ~= 0 and before ~= span and row[1] >= now then
      local left = row[1] - now + (row[2] > 0 and 1 or 0)
      row[1] = now + math.ceil(left * lengthOf(span) / lengthOf(before))
      row[2] = 0
    end
    row[3] = span + refunded * SPANS
  end

  function steps.look(row, params, now, cost)
    rescale(row, params, now)
    local burst, refill, every, initial = params[1], params[2], params[3], params[4]
    if row[1] <= now and now >= steps.ends(row, params) then
      row[1], row[2], row[3] = now, 0, params[6]
      if initial < burst then steps.take(row, params, now, burst - initial) end
    elseif row[1] < now then
      row[1], row[2] = now, 0
    elseif row[2] >= refill then
      row[1], row[2] = row[1] + 1, 0
    end
    local room = (burst - cost) * every - row[2]
    return burst > 0 and cost <= burst and now >= row[1] - math.floor(room / refill)
  end

  function steps.take(row, params, now, cost)
    local refill, every = params[2], params[3]
    local whole = math.floor(cost * every / refill)
    local fraction = row[2] + (cost * every - whole * refill)
    local carry = fraction >= refill and 1 or 0
    row[1] = math.min(row[1] + whole + carry, 2 ^ 47)
    row[2] = fraction - carry * refill
  end

  function steps.refundReceipt(row, params, now, cost, receipt, takenAt)
    local refill, every = params[2], params[3]
    local refunded = refundedUnits(row)
    local refundedSince = refunded - refundedUnits(receipt)
    if refundedSince < 0 then return end
    local own = cost * every
    local isCounted = refunded < MOST_REFUNDED
    local byArrival = isCounted and backlog(receipt, params, now) - refundedSince * every or 0
    local byAge = own - (now - takenAt) * refill
    shorten(row, params, now, math.min(own, math.max(byArrival, byAge)))
  end

  function steps.refundUnits(row, params, now, units)
    local used = math.ceil(math.max(0, backlog(row, params, now)) / params[3])
    shorten(row, params, now, math.min(units, used) * params[3])
  end

  function steps.forget(row, params, now)
    row[1], row[2], row[3] = params[4] < params[1] and now or 0, 0, 0
  end

  function steps.ends(row, params)
    local refunded = refundedUnits(row)
    if row[1] == 0 and row[2] == 0 and refunded == 0 then return 0 end
    local idle = row[1] + (row[2] > 0 and 1 or 0) + (params[4] < params[1] and params[5] or 0)
    if refunded == 0 then return idle end
    local ahead = row[2] + math.min(refunded, params[1]) * params[3]
    return math.max(idle, row[1] + math.ceil(ahead / params[2]))
  end

  return steps
end)()`
