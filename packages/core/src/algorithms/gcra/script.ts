import type { PlainLua } from '../plain-lua.js'
import { spans } from './span.js'

/** The milliseconds that a span represents. */
const lengthOf = (span: string): string => `(${span} % 8192 * 10 ^ math.floor(${span} / 8192))`

/** Converts a row that another policy has written. */
const rescale = (condition: string): string => `
    if row[3] ~= params[6]${condition} then
      local before = row[3] % ${spans}
      if before ~= 0 and before ~= params[6] then
        local left = math.max(0, row[1] + (row[2] > 0 and 1 or 0) - now)
        row[1] = math.min(now + math.ceil(left * ${lengthOf('params[6]')} / ${lengthOf('before')}), 2 ^ 47)
        row[2] = 0
      end
      row[3] = row[3] + params[6] - before
    end`

/** Sets `at` to the first whole millisecond at which the backlog is at most `most`. */
const backlogAtMost = `
    local before = row[3] == params[6] and 0 or row[3] % ${spans}
    if before ~= 0 and before ~= params[6] then
      local left = math.floor(most / params[2]) * ${lengthOf('before')}
      at = row[1] + (row[2] > 0 and 1 or 0) - math.floor(left / ${lengthOf('params[6]')})
    else
      at = row[1] - math.floor((most - row[2]) / params[2])
    end`

const take = `
    ${rescale(' and cost > 0')}
    local whole = math.floor(cost * params[3] / params[2])
    local fraction = row[2] + (cost * params[3] - whole * params[2])
    local carry = fraction >= params[2] and 1 or 0
    row[1] = math.min(row[1] + whole + carry, 2 ^ 47)
    row[2] = fraction - carry * params[2]`

const ends = `
    local refunded = row[3] < ${spans} and 0 or math.floor(row[3] / ${spans})
    if row[1] == 0 and row[2] == 0 and refunded == 0 then ended = 0
    else
      ended = row[1] + (row[2] > 0 and 1 or 0) + (params[4] < params[1] and params[5] or 0)
      if refunded > 0 then
        local ahead = row[2] + math.min(refunded, params[1]) * params[3]
        ended = math.max(ended, row[1] + math.ceil(ahead / params[2]))
      end
    end`

// row: 1 the theoretical arrival time: the time at which the key is idle again, in whole ms,
//      2 the rest of it, in fractions of 1 / refill ms,
//      3 the span of the policy at the last write, plus `spans` times the units refunded since the row was created
// params: 1 burst, 2 refill, 3 every, 4 initial, 5 how long a full bucket is kept if a new one has fewer units, 6 span
export const gcraLua = (): PlainLua => ({
  look: `
    if row[3] ~= params[6] and (row[1] < now or row[3] % ${spans} == 0) then
      row[3] = row[3] + params[6] - row[3] % ${spans}
    end
    local isOver = false
    if row[1] <= now then
      local ended
      ${ends}
      isOver = now >= ended
    end
    if isOver then
      row[1], row[2], row[3] = now, 0, params[6]
      if params[4] < params[1] then
        local initial = params[1] - params[4]
        ${take.replaceAll(/\bcost\b/g, 'initial')}
      end
    elseif row[1] < now then row[1], row[2] = now, 0
    elseif row[2] >= params[2] then row[1], row[2] = row[1] + 1, 0 end
    local most, at = (params[1] - cost) * params[3], nil
    ${backlogAtMost}
    fits = params[1] > 0 and cost <= params[1] and now >= at`,

  take,
  ends,

  others: `
  local SPANS, MOST_REFUNDED = ${spans}, 2 ^ 36 - 1

  local function rescale(row, params, now)
    ${rescale('')}
  end

  function steps.isForeign(row, params)
    local before = row[3] % SPANS
    return before ~= 0 and before ~= params[6]
  end

  function steps.backlogAtMost(row, params, most)
    local at
    ${backlogAtMost}
    return at
  end

  local function refundedUnits(row)
    return row[3] < SPANS and 0 or math.floor(row[3] / SPANS)
  end

  local function backlog(row, params, now)
    return (row[1] - now) * params[2] + row[2]
  end

  function steps.shorten(row, params, now, fractions)
    local refill = params[2]
    local refunded = math.min(fractions, backlog(row, params, now), 2 ^ 53 - 1)
    if refunded <= 0 then return end
    local whole = math.floor(refunded / refill)
    local fraction = row[2] - (refunded - whole * refill)
    local borrow = fraction < 0 and 1 or 0
    row[1] = row[1] - whole - borrow
    row[2] = fraction + borrow * refill
    row[3] = row[3] + SPANS * math.min(math.ceil(refunded / params[3]), MOST_REFUNDED - refundedUnits(row))
  end

  function steps.refund(row, params, now, units, taken)
    local refill, every = params[2], params[3]
    if units == math.huge then
      row[1], row[2], row[3] = params[4] < params[1] and now or 0, 0, 0
    elseif not taken then
      if units <= 0 or (row[1] <= now and row[2] == 0) then return end
      rescale(row, params, now)
      local used = math.ceil(math.max(0, backlog(row, params, now)) / every)
      steps.shorten(row, params, now, math.min(units, used) * every)
    elseif not steps.isForeign(row, params) then
      local refunded = refundedUnits(row)
      local refundedSince = refunded - refundedUnits(taken.row)
      if refundedSince < 0 then return end
      local own = units * every
      local isCounted = refunded < MOST_REFUNDED
      local byArrival = isCounted and backlog(taken.row, params, now) - refundedSince * every or 0
      local byAge = own - (now - taken.now) * refill
      steps.shorten(row, params, now, math.min(own, math.max(byArrival, byAge)))
    end
  end
`,
})
