import { leasesLua } from './leases-script.js'

export const concurrencyLua: string = `
-- row: 1 the latest moment at which anything changed, 2 the units held, 3 the number of the last grant or renewal, and for the answer
-- only: 4 when the cost fits, 0 where it does, 5 when more remains, 6 when the last lease ends
-- params: 1 limit, 2 lease, 3 how long the last token is remembered
(function()
${leasesLua.trim()}

  local NEVER = ${2 ** 52}

  -- Brings the leases to where look has brought the row.
  local function settle(leases, row)
    if row[2] == 0 then empty(leases) else clear(leases, row[1]) end
  end

  -- What the answer tells about the time to come.
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
    -- Who asks. Once it has taken, the question is what remains for others.
    local asker = lease
    local steps = {}

    -- The asker's own lease. A row without units says that the leases are void.
    local function held(row)
      return row[2] > 0 and grantOf(leases, lease.id, row[1]) or nil
    end

    function steps.look(row, params, now, cost)
      local limit = params[1]
      row[1] = math.max(row[1], now)
      row[2] = row[3] == 0 and 0 or live(leases, row[2], row[1])
      local name = asker and nameOf(asker) or ''
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
      settle(leases, row)
      if cost > 0 then
        local rank = nextRank(row, params)
        row[2] = row[2] + grant(leases, lease, cost, rank, row[1])
      end
      asker = nil
      foresee(leases, row, params)
    end

    function steps.refundReceipt(row, params, now, cost, receipt)
      settle(leases, row)
      local granted = held(row)
      if granted then row[2] = row[2] - finish(leases, granted, row[1]) end
      foresee(leases, row, params)
    end

    function steps.refundUnits(row, params, now, units)
      settle(leases, row)
      row[2] = row[2] - endNewest(leases, units)
      foresee(leases, row, params)
    end

    function steps.release(row, params, now)
      if not held(row) then return false end
      steps.refundReceipt(row, params, now, 0, row, now)
      return true
    end

    function steps.renew(row, params, now)
      local granted = held(row)
      if not granted then return false end
      settle(leases, row)
      move(leases, granted, nextRank(row, params))
      foresee(leases, row, params)
      return true
    end

    function steps.forget(row, params, now)
      row[1] = math.max(row[1], now)
      row[2] = 0
      settle(leases, row)
      foresee(leases, row, params)
    end

    return steps
  end

  local function ends(row, params)
    if row[3] == 0 then return 0 end
    return math.max(row[6], math.floor(row[3] / RANKS) + 1) + params[3]
  end

  return { bind = bind, ends = ends }
end)()`
