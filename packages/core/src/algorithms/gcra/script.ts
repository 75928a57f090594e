export const gcraLua: string = `
-- row: 1 the moment at which the key is idle again, whole ms, 2 what is beyond it, in fractions of 1 / refill ms,
--      3 the policy's span when it was written
-- params: 1 burst, 2 refill, 3 every, 4 initial, 5 how long a bucket is remembered that is born with less than it
--         holds, 6 span
(function()
  local steps = {}

  local function shorten(row, params, now, fractions)
    local refill = params[2]
    local whole = math.floor(fractions / refill)
    local fraction = row[2] - (fractions - whole * refill)
    local borrow = fraction < 0 and 1 or 0
    row[1] = row[1] - whole - borrow
    row[2] = fraction + borrow * refill
    if row[1] < now then row[1], row[2] = now, 0 end
  end

  local function lengthOf(span)
    return (span % 8192) * 10 ^ math.floor(span / 8192)
  end

  local function rescale(row, params, now)
    local span = params[6]
    if row[3] ~= 0 and row[3] ~= span and row[1] >= now then
      local left = row[1] - now + (row[2] > 0 and 1 or 0)
      row[1] = now + math.ceil(left * lengthOf(span) / lengthOf(row[3]))
      row[2] = 0
    end
    row[3] = span
  end

  function steps.look(row, params, now, cost)
    rescale(row, params, now)
    local burst, refill, every, initial = params[1], params[2], params[3], params[4]
    if initial < burst and now >= steps.ends(row, params) then
      row[1], row[2] = now, 0
      steps.take(row, params, now, burst - initial)
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

  function steps.give(row, params, now, cost, receipt)
    local left = (receipt[1] - now) * params[2] + receipt[2]
    if left > 0 then shorten(row, params, now, math.min(cost * params[3], left)) end
  end

  function steps.forgive(row, params, now, units)
    local backlog = math.max(0, (row[1] - now) * params[2] + row[2])
    shorten(row, params, now, math.min(units, math.ceil(backlog / params[3])) * params[3])
  end

  function steps.ends(row, params)
    if row[1] == 0 and row[2] == 0 then return 0 end
    return row[1] + (row[2] > 0 and 1 or 0) + (params[4] < params[1] and params[5] or 0)
  end

  return steps
end)()`
