import { fan, levels } from './corrections.js'

/** The corrections of one log in Redis: the functions of `corrections.ts` over fields of the hash with the records. */
export const correctionsLua = (): string => `
  -- A field has ${fan} nodes of one level, four bytes each. Together they are one node of the next level. Units are counted modulo 2^32.
  local FAN, LEVELS, NO_NODES = ${fan}, ${levels}, ('\\0'):rep(${4 * fan})

  local function forget(key, from, to, prefix)
    for first = from, to, 1000 do
      local fields = {}
      for number = first, math.min(to, first + 999) do fields[#fields + 1] = prefix .. number end
      redis.call('HDEL', key, unpack(fields))
    end
  end

  local function correctionsOf(key)
    local nodes, corrections = {}, {}

    local function nodesAt(level, node)
      local field = level .. ':' .. math.floor(node / FAN)
      nodes[field] = nodes[field] or redis.call('HGET', key, field) or NO_NODES
      return nodes[field], node % FAN * 4, field
    end

    local function unitsAt(level, node)
      local list, at = nodesAt(level, node)
      return (struct.unpack('<I4', list, at + 1))
    end

    function corrections.add(chunk, units)
      local node = chunk
      for level = 0, LEVELS - 1 do
        local list, at, field = nodesAt(level, node)
        local sum = (unitsAt(level, node) + units) % 4294967296
        nodes[field] = list:sub(1, at) .. struct.pack('<I4', sum) .. list:sub(at + 5)
        redis.call('HSET', key, field, nodes[field])
        node = math.floor(node / FAN)
      end
    end

    function corrections.between(from, to)
      local sum, first, stop = 0, from, to
      for level = 0, LEVELS - 1 do
        local following = level == LEVELS - 1 and stop or math.min(stop, math.ceil(first / FAN) * FAN)
        while first < following do
          sum = sum + unitsAt(level, first)
          first = first + 1
        end
        while first < stop and stop % FAN > 0 do
          sum = sum + unitsAt(level, stop - 1)
          stop = stop - 1
        end
        first, stop = first / FAN, stop / FAN
      end
      return sum
    end

    -- Removes the nodes of the chunks from "from" to before "to". The last field of each level stays if it has nodes of later chunks.
    function corrections.drop(from, to, corrected)
      local isOver = to >= corrected
      local first, stop = from, isOver and corrected - 1 or to
      for level = 0, LEVELS - 1 do
        first, stop = math.floor(first / FAN), math.floor(stop / FAN)
        forget(key, first, isOver and stop or stop - 1, level .. ':')
      end
    end

    return corrections
  end
`
