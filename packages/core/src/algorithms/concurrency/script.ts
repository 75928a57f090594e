import { leasesLua } from './leases-script.js'

export const concurrencyLua = (): string => `
-- row: 1 the latest time of a change: the clock never counts as earlier; 2 the units held;
--      3 the number of the last grant or renewal, which is its token, 0 if there was none;
--      only for the decision: 4 when the cost fits, 0 if it fits now; 5 when more units remain; 6 when the last lease ends
-- params: 1 limit, 2 lease, 3 how long the last token is kept
(function()
${leasesLua().trim()}

  local NEVER = ${2 ** 52}

  -- Removes from the leases what look has removed from the row.
  local function clearEnded(leases, row)
    if row[2] == 0 then empty(leases) else clear(leases, row[1]) end
  end

  -- Computes the times that only the decision needs.
  local function foresee(leases, row, params)
    local more = math.max(1, row[2] - params[1] + 1)
    row[5] = (row[2] == 0 or params[1] == 0) and 0 or freeAt(leases, more, row[1], '')
    row[6] = row[2] == 0 and 0 or lastEnd(leases)
  end

  local function nextRank(row, params)
    row[3] = math.max(row[3] + 1, row[1] * RANKS)
    return (row[1] + params[2]) * RANKS + math.min(row[3] - row[1] * RANKS, RANKS - 1)
  end

  local function bind(keys, lease)
    local leases = { holders = keys[1], grants = keys[2], facts = keys[3] }
    -- The lease that is asked for. After take it is nil, and look then returns whether another request would fit.
    local requested = lease
    local steps = {}

    -- The grant of this lease. A row without units says that the leases are void.
    local function activeGrant(row)
      return row[2] > 0 and grantOf(leases, lease.id, row[1]) or nil
    end

    function steps.look(row, params, now, cost)
      local limit = params[1]
      row[1] = math.max(row[1], now)
      row[2] = row[3] == 0 and 0 or live(leases, row[2], row[1])
      local name = requested and nameOf(requested) or ''
      local own = (row[2] == 0 or cost == 0) and 0 or unitsOf(leases, name, row[1])
      local excess = row[2] - own + cost - limit
      local fits = limit > 0 and (excess <= 0 or own > 0 and own >= cost)
      row[4] = 0
      if not fits and (limit == 0 or cost > limit) then row[4] = NEVER
      elseif not fits then row[4] = freeAt(leases, excess, row[1], own > 0 and name or '') end
      foresee(leases, row, params)
      return fits
    end

    function steps.take(row, params, now, cost)
      clearEnded(leases, row)
      local units = math.min(cost, 2 ^ 53 - 1 - row[2])
      if units > 0 then
        local rank = nextRank(row, params)
        row[2] = row[2] + grant(leases, lease, units, rank, row[1])
      end
      requested = nil
      foresee(leases, row, params)
    end

    function steps.release(row, params)
      local granted = activeGrant(row)
      if not granted then return false end
      clearEnded(leases, row)
      row[2] = row[2] - finish(leases, granted, row[1])
      foresee(leases, row, params)
      return true
    end

    function steps.refund(row, params, now, units, taken)
      if taken then
        if not steps.release(row, params) then clearEnded(leases, row) end
      else
        if units >= row[2] then row[2] = 0 end
        clearEnded(leases, row)
        if row[2] > 0 then row[2] = row[2] - endNewest(leases, units) end
      end
      foresee(leases, row, params)
    end

    function steps.renew(row, params, now)
      local granted = activeGrant(row)
      if not granted then return false end
      clearEnded(leases, row)
      move(leases, granted, nextRank(row, params))
      foresee(leases, row, params)
      return true
    end

    return steps
  end

  local function ends(row, params)
    if row[3] == 0 then return 0 end
    return math.max(row[6], math.floor(row[3] / RANKS) + 1) + params[3]
  end

  return { bind = bind, ends = ends }
end)()`
