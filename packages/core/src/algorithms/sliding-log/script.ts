/** The number of records in a chunk. */
const perChunk = 62

export const slidingLogLua = (): string => `
-- row: 1 the time of the newest record, 2 the units that count, 3 the running total before the oldest record, 4 the position of
--      that record, 5 the number of records, 6 when the cost fits, 7 when more units remain
-- params: 1 limit, 2 window
--
-- The log is a hash of chunks of 62 records, so that any record is read in constant time, which a list of a million does not allow.
-- A chunk begins with the time of its first record, six bytes. Each record follows with its time after that and the running total
-- modulo 2^32, four bytes each. With its header a full chunk fills an allocation of 512 bytes.
(function()
  local PER_CHUNK, HEAD, SIZE, WORD = ${perChunk}, 6, 8, 4294967296

  local function forget(key, from, to)
    for first = from, to, 1000 do
      local fields = {}
      for number = first, math.min(to, first + 999) do fields[#fields + 1] = number end
      redis.call('HDEL', key, unpack(fields))
    end
  end

  -- The first position whose value is greater than most. The function in TypeScript has the explanation.
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

  local function bind(keys)
    local key = keys[1]
    local chunks, changed = {}, {}
    -- The first position that the log still has.
    local kept

    local function numberOf(position)
      return math.floor(position / PER_CHUNK)
    end

    local function chunkOf(position)
      local number = numberOf(position)
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

    -- If a new record is seven weeks or more after the first one of its chunk, empty records fill that chunk and the new one starts another.
    local function padding(position, time)
      local chunk, number, at = chunkOf(position)
      if at == HEAD or time - struct.unpack('<I6', chunk) < WORD then return 0 end
      local count = PER_CHUNK - position % PER_CHUNK
      chunks[number] = chunk .. chunk:sub(-SIZE):rep(count)
      changed[number] = true
      return count
    end

    local function flush()
      for number in pairs(changed) do redis.call('HSET', key, number, chunks[number]) end
      changed = {}
    end

    local function unitsUpTo(row, position)
      return (totalAt(position) - row[3]) % WORD
    end

    local function putNewest(row, units)
      put(row[4] + row[5] - 1, row[1], (row[3] + units) % WORD)
    end

    local function reaching(row, units)
      local before = row[4] - 1
      local function valueAt(position) return unitsUpTo(row, position) end
      return firstAbove(units - 1, before, 0, before + row[5], row[2], valueAt)
    end

    local function expire(row, params, now)
      kept = kept or row[4]
      if row[5] == 0 then return end
      -- If the log is missing, for example evicted, the row is void.
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
        forget(key, numberOf(kept), numberOf(row[4]) - 1)
      end
      kept = row[4]
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
        putNewest(row, row[2])
      end
      flush()
      foresee(row, params, 0)
    end

    function steps.refund(row, params, now, units, taken)
      trim(row)
      local left = row[2] - math.min(units, row[2])
      local isOver = taken and row[5] > 0 and timeAt(row[4]) > taken.row[1]
      if left == 0 and not isOver then void(row)
      elseif left < row[2] and not isOver then
        local newest, last = reaching(row, left), numberOf(row[4] + row[5] - 1)
        row[1], row[2], row[5] = timeAt(newest), left, newest - row[4] + 1
        putNewest(row, left)
        local chunk, number, at = chunkOf(newest)
        chunks[number] = chunk:sub(1, at + SIZE)
        for after = number + 1, last do chunks[after], changed[after] = nil, nil end
        forget(key, number + 1, last)
      end
      flush()
      foresee(row, params, 0)
    end

    return steps
  end

  local function ends(row, params)
    return row[2] == 0 and 0 or row[1] + params[2]
  end

  return { bind = bind, ends = ends }
end)()`
