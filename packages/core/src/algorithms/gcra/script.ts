export const gcraLua: string = `
-- row: 1 the moment at which the key is idle again, whole ms, 2 what is beyond it, in fractions of 1 / refill ms
-- params: 1 burst, 2 refill, 3 every
{
  look = function(row, params, now, cost)
    local burst = params[1]
    if row[1] < now then
      row[1], row[2] = now, 0
    elseif row[2] >= params[2] then
      row[1], row[2] = row[1] + 1, 0
    end
    local room = (burst - cost) * params[3] - row[2]
    return burst > 0 and cost <= burst and now >= row[1] - math.floor(room / params[2])
  end,

  take = function(row, params, now, cost)
    local refill, every = params[2], params[3]
    local whole = math.floor(cost * every / refill)
    local fraction = row[2] + (cost * every - whole * refill)
    local carry = fraction >= refill and 1 or 0
    row[1] = row[1] + whole + carry
    row[2] = fraction - carry * refill
  end,

  ends = function(row, params)
    return row[1] + (row[2] > 0 and 1 or 0)
  end,
}`
