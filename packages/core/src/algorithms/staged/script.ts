/** params: the widths of both rows, the number of the params of free, its params, and those of then. */
export function stagedLua(free: string, next: string): string {
  return `
-- row: the row of free, the row of then, and from which of them the last allowed request took units (1, 2, or 3 for both), plus 4 times the
-- number of resets of then, modulo 2^14
(function()
  local stages, steps = { ${free}, ${next} }, {}

  -- Runs a step of one stage over its part of the row.
  local function over(n, step, row, params, now, units, taken)
    local first, second, args = params[1], params[2], 3 + params[3]
    local from, to = 1, first
    local own = { unpack(params, 4, args) }
    if n == 2 then from, to, own = first + 1, first + second, { unpack(params, args + 1) } end
    local cells = { unpack(row, from, to) }
    local part = taken and { row = { unpack(taken.row, from, to) }, now = taken.now, isPart = taken.isPart }
    local result = stages[n][step](cells, own, now, units, part)
    for i, cell in ipairs(cells) do row[from - 1 + i] = cell end
    return result
  end

  function steps.look(row, params, now, cost)
    local fits = over(1, 'look', row, params, now, cost)
    return over(2, 'look', row, params, now, cost) or fits
  end

  function steps.take(row, params, now, cost)
    local first, last = params[1], params[1] + params[2] + 1
    local starts = math.floor(row[last] / 4)
    if not over(1, 'look', row, params, now, cost) then
      over(2, 'take', row, params, now, cost)
      row[last] = starts * 4 + 2
      return
    end
    over(1, 'take', row, params, now, cost)
    row[last] = starts * 4 + 1
    if cost == 0 or over(1, 'look', row, params, now, 1) then return end
    for i = first + 1, last - 1 do row[i] = 0 end
    over(2, 'look', row, params, now, cost)
    over(2, 'take', row, params, now, cost)
    row[last] = (starts + 1) % 16384 * 4 + 3
  end

  function steps.refund(row, params, now, units, taken)
    local last = params[1] + params[2] + 1
    local from = taken and taken.row[last] % 4 or 3
    local isSameStart = not taken or math.floor(taken.row[last] / 4) == math.floor(row[last] / 4)
    if from ~= 2 then over(1, 'refund', row, params, now, units, taken) end
    if from ~= 1 and isSameStart then over(2, 'refund', row, params, now, units, taken) end
  end

  function steps.ends(row, params)
    return math.max(over(1, 'ends', row, params), over(2, 'ends', row, params))
  end

  return steps
end)()`
}
