/** params: for each of the two policies, the number of times, counts and extras in its row, the number of its params, and its params. */
export function stagedLua(free: string, next: string): string {
  return `
-- row: the times of free, the times of then, the counts of free, the counts of then;
--      from which of them the last allowed request took units (1, 2, or 3 for both), plus 4 times the number of resets of then, modulo 2^14;
--      the extras of free, the extras of then
(function()
  local first, second = ${free}, ${next}
  local steps = {}

  local function slice(list, from, length)
    local out = {}
    for i = 1, length do out[i] = list[from + i - 1] end
    return out
  end

  local function policyAt(params, at)
    local policy = { times = params[at], counts = params[at + 1], extras = params[at + 2] }
    policy.params = slice(params, at + 4, params[at + 3])
    return policy, at + 4 + params[at + 3]
  end

  local function partOf(row, policy, timesAt, countsAt, extrasAt)
    local part, stored = slice(row, timesAt + 1, policy.times), policy.times + policy.counts
    for i = 1, policy.counts do part[policy.times + i] = row[countsAt + i] end
    for i = 1, policy.extras do part[stored + i] = row[extrasAt + i] end
    return part
  end

  local function read(row, params)
    local a, at = policyAt(params, 1)
    local b = policyAt(params, at)
    local times = a.times + b.times
    local stage = times + a.counts + b.counts + 1
    a.row = partOf(row, a, 0, times, stage)
    b.row = partOf(row, b, a.times, times + a.counts, stage + a.extras)
    return a, b, stage
  end

  local function writePart(row, policy, timesAt, countsAt, extrasAt)
    local stored = policy.times + policy.counts
    for i = 1, policy.times do row[timesAt + i] = policy.row[i] end
    for i = 1, policy.counts do row[countsAt + i] = policy.row[policy.times + i] end
    for i = 1, policy.extras do row[extrasAt + i] = policy.row[stored + i] end
  end

  local function write(row, a, b)
    local times = a.times + b.times
    local stage = times + a.counts + b.counts + 1
    writePart(row, a, 0, times, stage)
    writePart(row, b, a.times, times + a.counts, stage + a.extras)
  end

  function steps.look(row, params, now, cost)
    local a, b = read(row, params)
    local fitsFirst = first.look(a.row, a.params, now, cost)
    local fitsSecond = second.look(b.row, b.params, now, cost)
    write(row, a, b)
    return fitsFirst or fitsSecond
  end

  function steps.take(row, params, now, cost)
    local a, b, stage = read(row, params)
    local starts = math.floor(row[stage] / 4)
    if not first.look(a.row, a.params, now, cost) then
      second.take(b.row, b.params, now, cost)
      row[stage] = starts * 4 + 2
    else
      first.take(a.row, a.params, now, cost)
      row[stage] = starts * 4 + 1
      if cost > 0 and not first.look(a.row, a.params, now, 1) then
        for i in ipairs(b.row) do b.row[i] = 0 end
        second.look(b.row, b.params, now, cost)
        second.take(b.row, b.params, now, cost)
        row[stage] = (starts + 1) % 16384 * 4 + 3
      end
    end
    write(row, a, b)
  end

  function steps.refundReceipt(row, params, now, cost, receipt, takenAt)
    local a, b, stage = read(row, params)
    local oldA, oldB = read(receipt, params)
    local taken = receipt[stage] % 4
    local isSameStart = math.floor(receipt[stage] / 4) == math.floor(row[stage] / 4)
    if taken ~= 2 then first.refundReceipt(a.row, a.params, now, cost, oldA.row, takenAt) end
    if taken ~= 1 and isSameStart then second.refundReceipt(b.row, b.params, now, cost, oldB.row, takenAt) end
    write(row, a, b)
  end

  function steps.refundUnits(row, params, now, units)
    local a, b = read(row, params)
    first.refundUnits(a.row, a.params, now, units)
    second.refundUnits(b.row, b.params, now, units)
    write(row, a, b)
  end

  local function forget(policy, part, now)
    if policy.forget then return policy.forget(part.row, part.params, now) end
    for i in ipairs(part.row) do part.row[i] = 0 end
  end

  function steps.forget(row, params, now)
    local a, b, stage = read(row, params)
    forget(first, a, now)
    forget(second, b, now)
    write(row, a, b)
    row[stage] = 0
  end

  function steps.ends(row, params)
    local a, b = read(row, params)
    return math.max(first.ends(a.row, a.params), second.ends(b.row, b.params))
  end

  return steps
end)()`
}
