export const slidingLogLua: string = `
-- row: 1 the moment of the newest record, 2 the units that count, 3 the running total before the oldest record, 4 that record's
-- position, 5 how many records there are, 6 when the asked cost fits, 7 when more remains
-- params: 1 limit, 2 window
--
-- The body is a hash of chunks of 62 records, so that a record anywhere is found at once, which a list of a million cannot do. A chunk
-- begins with the moment of its first record, six bytes; then for each record how long after that it was, and the running total
-- modulo 2^32 after it, four bytes each. With its header a full chunk fills an allocation of 512 bytes.
(function()
  local PER_CHUNK, HEAD, SIZE, WORD = 62, 6, 8, 4294967296

  -- The first position whose value is above the most; see its twin.
  local function firstAbove(most, low, lowest, high, highest, valueAt)
    local probe = 1
    while high - low > 1 do
      local share = probe % 3 == 0 and 0.5 or (most - lowest) / (highest - lowest)
      local guess = low + math.ceil((high - low) * share)
      local position = math.min(math.max(guess, low + 1), high - 1)
      local value = valueAt(position)
      if value > most then
        high, highest = position, value
      else
        low, lowest = position, value
      end
      probe = probe + 1
    end
    return high
  end

  local function void(row)
    for i = 1, 7 do row[i] = 0 end
  end

  local function over(keys)
    local key = keys[1]
    local chunks, changed = {}, {}
    -- The position from which the body is kept.
    local kept

    local function chunkOf(position)
      local number = math.floor(position / PER_CHUNK)
      if not chunks[number] then chunks[number] = redis.call('HGET', key, number) or '' end
      return chunks[number], number, HEAD + position % PER_CHUNK * SIZE
    end

    local function timeAt(position)
      local chunk, _, at = chunkOf(position)
      return struct.unpack('<I6', chunk) + struct.unpack('<I4', chunk, at + 1)
    end

    local function totalAt(position)
      local chunk, _, at = chunkOf(position)
      return (struct.unpack('<I4', chunk, at + 5))
    end

    local function put(position, time, total)
      local chunk, number, at = chunkOf(position)
      if at == HEAD then chunk = struct.pack('<I6', time) .. chunk:sub(HEAD + 1) end
      local record = struct.pack('<I4I4', time - struct.unpack('<I6', chunk), total)
      chunks[number] = chunk:sub(1, at) .. record .. chunk:sub(at + SIZE + 1)
      changed[number] = true
    end

    -- Where seven weeks lie between the first record of a chunk and a new one, the new one opens a chunk, and empty records fill the last.
    local function padding(position, time)
      local chunk, number, at = chunkOf(position)
      if at == HEAD or time - struct.unpack('<I6', chunk) < WORD then return 0 end
      local count = PER_CHUNK - position % PER_CHUNK
      chunks[number] = chunk .. chunk:sub(-SIZE):rep(count)
      changed[number] = true
      return count
    end

    local function forget(from, to)
      for first = from, to, 1000 do
        local numbers = {}
        for number = first, math.min(to, first + 999) do numbers[#numbers + 1] = number end
        redis.call('HDEL', key, unpack(numbers))
      end
    end

    local function flush()
      for number in pairs(changed) do redis.call('HSET', key, number, chunks[number]) end
      changed = {}
    end

    local function unitsUpTo(row, position)
      return (totalAt(position) - row[3]) % WORD
    end

    local function reaching(row, units)
      local before = row[4] - 1
      local function valueAt(position) return unitsUpTo(row, position) end
      return firstAbove(units - 1, before, 0, before + row[5], row[2], valueAt)
    end

    local function expire(row, params, now)
      kept = kept or row[4]
      if row[5] == 0 then return end
      -- A body that is gone, evicted perhaps, leaves its row without meaning.
      if now >= row[1] + params[2] or chunkOf(row[4]) == '' then return void(row) end
      local gone = math.max(now, row[1]) - params[2]
      local oldest = timeAt(row[4])
      if oldest > gone then return end
      local first = firstAbove(gone, row[4], oldest, row[4] + row[5] - 1, row[1], timeAt)
      row[2] = row[2] - unitsUpTo(row, first - 1)
      row[3] = totalAt(first - 1)
      row[5] = row[5] - (first - row[4])
      row[4] = first
    end

    local function foresee(row, params, cost)
      local limit, window = params[1], params[2]
      local over = cost - (limit - row[2])
      local more = math.max(1, row[2] - limit + 1)
      local fits = over <= 0 or cost > limit
      row[6] = fits and 0 or timeAt(reaching(row, over)) + window
      row[7] = row[2] < more and 0 or timeAt(reaching(row, more)) + window
    end

    local function trim(row)
      if row[5] == 0 then
        redis.call('DEL', key)
        chunks, changed = {}, {}
      else
        forget(math.floor(kept / PER_CHUNK), math.floor(row[4] / PER_CHUNK) - 1)
      end
      kept = row[4]
    end

    local function recordOf(row, moment)
      if row[5] == 0 or moment > row[1] then return end
      local at, oldest = row[4], timeAt(row[4])
      if oldest < moment then
        at = firstAbove(moment - 1, at, oldest, at + row[5] - 1, row[1], timeAt)
      end
      return timeAt(at) == moment and at or nil
    end

    local function keep(row, units)
      if units == 0 then return void(row) end
      local newest = reaching(row, units)
      local last = math.floor((row[4] + row[5] - 1) / PER_CHUNK)
      row[1], row[2], row[5] = timeAt(newest), units, newest - row[4] + 1
      put(newest, row[1], (row[3] + units) % WORD)
      local chunk, number, at = chunkOf(newest)
      chunks[number] = chunk:sub(1, at + SIZE)
      for after = number + 1, last do chunks[after], changed[after] = nil, nil end
      forget(number + 1, last)
    end

    local steps = {}

    function steps.look(row, params, now, cost)
      expire(row, params, now)
      foresee(row, params, cost)
      return params[1] > 0 and cost <= params[1] - row[2]
    end

    function steps.take(row, params, now, cost)
      local units = math.min(cost, WORD - 1 - row[2])
      trim(row)
      if units > 0 then
        if row[5] == 0 or now > row[1] then
          row[5] = row[5] + padding(row[4] + row[5], now) + 1
          row[1] = now
        end
        row[2] = row[2] + units
        put(row[4] + row[5] - 1, row[1], (row[3] + row[2]) % WORD)
      end
      flush()
      foresee(row, params, 0)
    end

    function steps.give(row, params, now, cost, receipt)
      trim(row)
      local at = recordOf(row, receipt[1])
      if at then
        local held = unitsUpTo(row, at) - (at > row[4] and unitsUpTo(row, at - 1) or 0)
        local units = math.min(cost, held)
        for i = at, row[4] + row[5] - 1 do put(i, timeAt(i), (totalAt(i) - units) % WORD) end
        row[2] = row[2] - units
        keep(row, row[2])
      end
      flush()
      foresee(row, params, 0)
    end

    function steps.forgive(row, params, now, units)
      trim(row)
      keep(row, row[2] - math.min(units, row[2]))
      flush()
      foresee(row, params, 0)
    end

    return steps
  end

  local function ends(row, params)
    return row[2] == 0 and 0 or row[1] + params[2]
  end

  return { over = over, ends = ends }
end)()`
