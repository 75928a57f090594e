/** params: for each of the two rules, the moments and counts of its row, the number of its params, and its params. */
export function stagedLua(free: string, next: string): string {
  return `
-- row: the moments of both rules, the counts of both, and which of them the last admitted request took from: 1, 2, or 3 for both; and
--      4 times how often the second was started anew, modulo 2^14
(function()
  local first, second = ${free.trim()}, ${next.trim()}
  local steps = {}

  local function slice(list, from, length)
    local out = {}
    for i = 1, length do out[i] = list[from + i - 1] end
    return out
  end

  local function read(row, params)
    local a = { moments = params[1], counts = params[2], params = slice(params, 4, params[3]) }
    local at = 4 + params[3]
    local b = { moments = params[at], counts = params[at + 1], params = slice(params, at + 3, params[at + 2]) }
    local moments = a.moments + b.moments
    a.row = slice(row, 1, a.moments)
    b.row = slice(row, a.moments + 1, b.moments)
    for i = 1, a.counts do a.row[a.moments + i] = row[moments + i] end
    for i = 1, b.counts do b.row[b.moments + i] = row[moments + a.counts + i] end
    return a, b, moments + a.counts + b.counts + 1
  end

  local function write(row, a, b)
    local moments = a.moments + b.moments
    for i = 1, a.moments do row[i] = a.row[i] end
    for i = 1, b.moments do row[a.moments + i] = b.row[i] end
    for i = 1, a.counts do row[moments + i] = a.row[a.moments + i] end
    for i = 1, b.counts do row[moments + a.counts + i] = b.row[b.moments + i] end
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

  function steps.give(row, params, now, cost, receipt, takenAt)
    local a, b, stage = read(row, params)
    local oldA, oldB = read(receipt, params)
    local taken = receipt[stage] % 4
    local isSameStart = math.floor(receipt[stage] / 4) == math.floor(row[stage] / 4)
    if taken ~= 2 then first.give(a.row, a.params, now, cost, oldA.row, takenAt) end
    if taken ~= 1 and isSameStart then second.give(b.row, b.params, now, cost, oldB.row, takenAt) end
    write(row, a, b)
  end

  function steps.forgive(row, params, now, units)
    local a, b = read(row, params)
    first.forgive(a.row, a.params, now, units)
    second.forgive(b.row, b.params, now, units)
    write(row, a, b)
  end

  local function forget(rule, part, now)
    if rule.forget then return rule.forget(part.row, part.params, now) end
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
