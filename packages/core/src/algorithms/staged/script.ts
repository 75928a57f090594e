/** params: the widths of both rows, the number of the params of free, its params, and those of then. */
export function stagedLua(free: string, next: string): string {
  return `
-- row: the row of free, the row of then, and from which of them the last allowed request took units (1, 2, or 3 for both), plus 4 times the
-- number of resets of then, modulo 2^14
(function()
  local first, second = ${free}, ${next}
  local steps = {}

  local function slice(list, from, to)
    local out = {}
    for i = from, to do out[#out + 1] = list[i] end
    return out
  end

  local function read(row, params)
    local last = params[1] + params[2] + 1
    local a = { row = slice(row, 1, params[1]), params = slice(params, 4, 3 + params[3]) }
    local b = { row = slice(row, params[1] + 1, last - 1), params = slice(params, 4 + params[3], #params) }
    return a, b, last
  end

  local function write(row, a, b)
    for i, cell in ipairs(a.row) do row[i] = cell end
    for i, cell in ipairs(b.row) do row[#a.row + i] = cell end
  end

  function steps.look(row, params, now, cost)
    local a, b = read(row, params)
    local fits = first.look(a.row, a.params, now, cost)
    fits = second.look(b.row, b.params, now, cost) or fits
    write(row, a, b)
    return fits
  end

  function steps.take(row, params, now, cost)
    local a, b, last = read(row, params)
    local starts = math.floor(row[last] / 4)
    if not first.look(a.row, a.params, now, cost) then
      second.take(b.row, b.params, now, cost)
      row[last] = starts * 4 + 2
    else
      first.take(a.row, a.params, now, cost)
      row[last] = starts * 4 + 1
      if cost > 0 and not first.look(a.row, a.params, now, 1) then
        for i in ipairs(b.row) do b.row[i] = 0 end
        second.look(b.row, b.params, now, cost)
        second.take(b.row, b.params, now, cost)
        row[last] = (starts + 1) % 16384 * 4 + 3
      end
    end
    write(row, a, b)
  end

  function steps.refund(row, params, now, units, receipt, takenAt)
    local a, b, last = read(row, params)
    local old, new, taken = {}, {}, 3
    if receipt then
      old, new = read(receipt, params)
      taken = receipt[last] % 4
    end
    local isSameStart = not receipt or math.floor(receipt[last] / 4) == math.floor(row[last] / 4)
    if taken ~= 2 then first.refund(a.row, a.params, now, units, old.row, takenAt) end
    if taken ~= 1 and isSameStart then second.refund(b.row, b.params, now, units, new.row, takenAt) end
    write(row, a, b)
  end

  function steps.ends(row, params)
    local a, b = read(row, params)
    return math.max(first.ends(a.row, a.params), second.ends(b.row, b.params))
  end

  return steps
end)()`
}
