/** The number of records in a chunk. */
export const perChunk = 62

/** The number of nodes of one level that are one node of the next. */
const fan = 32

/** The number of levels. A node of the highest one covers two million records. */
export const levels = 4

/** The chunk of a position. */
export function chunkOf(position: number): number {
  return Math.floor(position / perChunk)
}

/** The last position of a chunk. */
export function lastOf(chunk: number): number {
  return (chunk + 1) * perChunk - 1
}

/**
 * The units that were refunded in each chunk of a log and that the running totals of all later chunks still include. They are stored as a tree
 * of sums, so that a refund changes one node on each level, and a sum over any range of chunks reads a few nodes on each.
 */
export class Corrections {
  readonly #levels = Array.from({ length: levels }, () => new Map<number, number>())
  /** The first chunk that can have a node. */
  #first: number

  constructor(first: number) {
    this.#first = first
  }

  add(chunk: number, units: number): void {
    let node = chunk
    for (const sums of this.#levels) {
      sums.set(node, (sums.get(node) ?? 0) + units)
      node = Math.floor(node / fan)
    }
  }

  /** The units refunded in the chunks from `from` to before `to`. */
  between(from: number, to: number): number {
    let sum = 0
    let first = from
    let end = to
    for (let level = 0; level < levels; level++) {
      const sums = this.#levels[level]
      const following = level === levels - 1 ? end : Math.min(end, Math.ceil(first / fan) * fan)
      for (; first < following; first++) sum += sums.get(first) ?? 0
      for (; first < end && end % fan > 0; end--) sum += sums.get(end - 1) ?? 0
      first /= fan
      end /= fan
    }
    return sum
  }

  /** Removes the nodes that cover only chunks before this one. */
  drop(chunk: number): void {
    let first = this.#first
    let end = chunk
    for (const sums of this.#levels) {
      for (let node = first; node < end; node++) sums.delete(node)
      first = Math.floor(first / fan)
      end = Math.floor(end / fan)
    }
    this.#first = chunk
  }
}

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
