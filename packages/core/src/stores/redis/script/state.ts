/** Packs and parses a key's state. */
export const stateLua: string = `
-- A state is a string of rows. A single row, of the unnamed policy and of an algorithm with an id below 127, is the id and the cells. Any other
-- state is a zero, and for each row the length of its policy's name, that name, the id, the number of cells (0 if all rows of the algorithm
-- have the same number), the length of the cells, and the cells. A time takes six bytes. A count takes two, four or seven, as many as
-- the largest count of the row needs. The row of a block has the id 127: one time, the block's end, and one count, its length. The row of an
-- exemption has the id 123 and the same cells, with the length 0. A name has one of these two at most. The row of a reset has the id 126: two
-- times, the last reset and the time until which the row is kept, and the number of resets in that millisecond.
--
-- A policy's name may have a row of each form: of each id, and number of cells if it has one. Only a row's own form knows when it expires. So if
-- a name has several rows, each has the id 125: the field of the number of cells contains its own id, and its cells begin with their number, one
-- byte, and the server's time until which the row is kept. For a row that had no other beside it, this is when the state would have expired.

local BLOCK, RESET, ENDING, EXEMPTION = 127, 126, 125, 123

-- A part of a state: the packed cells of a row, and the values to write, with their policy and how long they are kept. All fields are created
-- together, to avoid a rehash.
local function newPart(name, id, width, cells, ends)
  return {
    name = name, id = id, width = width, cells = cells, ends = ends,
    row = false, policy = false, life = false, recordKeys = false,
  }
end

-- A state is read and written as a whole. More rows than this are a mistake: policy names that differ for each client.
local MOST_ROWS = 255

-- Returns the number of times and counts of a row that this call writes.
local function shapeOf(part)
  if part.id == BLOCK or part.id == EXEMPTION then return 1, 1 end
  if part.id == RESET then return 2, 1 end
  return part.policy.times, part.policy.counts
end

local function parse(packed)
  if not packed then return { changed = false, isNew = true } end
  local first = packed:byte(1)
  if first ~= 0 then
    return { newPart('', first, 0, packed:sub(2), false), changed = false }
  end
  local state, at = { changed = false }, 2
  while at <= #packed do
    local nameLength = packed:byte(at)
    local name = packed:sub(at + 1, at + nameLength)
    at = at + nameLength + 1
    local id, width, length = struct.unpack('<I1I1I2', packed, at)
    local cells, ends = packed:sub(at + 4, at + 3 + length), false
    if id == ENDING then
      id = width
      width, ends = struct.unpack('<I1I6', cells)
      cells = cells:sub(8)
    end
    state[#state + 1] = newPart(name, id, width, cells, ends)
    at = at + 4 + length
  end
  if #state > MOST_ROWS then error('a key has the counts of more than ' .. MOST_ROWS .. ' policies', 0) end
  return state
end

local function formatOf(times, counts, size)
  -- The most common shape has constant formats, without concatenation.
  if times == 1 and counts == 1 then
    return size == 2 and '<I6I2' or size == 4 and '<I6I4' or '<I6I7'
  end
  return '<' .. ('I6'):rep(times) .. ('I' .. size):rep(counts)
end

-- Returns a copy of the row, because a denied request leaves the state unchanged; nothing if its cells have another length.
local function cellsOf(part, times, counts)
  if part.row then return { unpack(part.row, 1, times + counts) } end
  local size = (#part.cells - 6 * times) / counts
  if size ~= 2 and size ~= 4 and size ~= 7 then return end
  return { struct.unpack(formatOf(times, counts, size), part.cells) }
end

local function pack(part)
  local row, largest = part.row, 0
  local times, counts = shapeOf(part)
  for i = times + 1, times + counts do
    if row[i] > largest then largest = row[i] end
  end
  local size = largest < 65536 and 2 or largest < 4294967296 and 4 or 7
  part.cells = struct.pack(formatOf(times, counts, size), unpack(row, 1, times + counts))
end

local function join(state)
  if #state == 1 and state[1].name == '' and state[1].id < BLOCK then
    return string.char(state[1].id) .. state[1].cells
  end
  local packed = { '\\0' }
  for _, part in ipairs(state) do
    local id, width, cells = part.id, part.width, part.cells
    if part.ends then
      cells = struct.pack('<I1I6', width, part.ends) .. cells
      id, width = ENDING, id
    end
    packed[#packed + 1] = string.char(#part.name) .. part.name
    packed[#packed + 1] = struct.pack('<I1I1I2', id, width, #cells) .. cells
  end
  return table.concat(packed)
end
`
