/** How a key's state is written, and read again. */
export const stateLua: string = `
-- A state is a string of rows. If there is only one, of an algorithm below 127 and of the unnamed policy: the algorithm's id and the
-- cells. Else a zero, and for each row the length of its policy's name, that name, the id, the number of cells (0 where all rows of
-- the algorithm have the same), the length of the cells, and the cells. A moment takes six bytes; a count as many as the largest
-- count of the row needs, two, four or seven. The id of a block's row is 127: one moment, the block's end, and one count, its length. That of
-- a reset's row is 126: two moments, that of the last reset and the one until which it is kept, and the number of resets in its millisecond.

local BLOCK, RESET = 127, 126

-- A row of a state: as it was read, and as this call is to write it, by which rule and for which template. All fields are made at once.
local function newEntry(name, id, width, cells)
  return { name = name, id = id, width = width, cells = cells, row = false, rule = false, template = false, bodies = false }
end

-- How many moments and counts a row has that this call writes.
local function shapeOf(entry)
  if entry.id == BLOCK then return 1, 1 end
  if entry.id == RESET then return 2, 1 end
  return entry.rule.moments, entry.rule.counts
end

local function parse(packed)
  if not packed then return { changed = false, isNew = true } end
  local first = packed:byte(1)
  if first ~= 0 then
    return { newEntry('', first, 0, packed:sub(2)), changed = false }
  end
  local state, at = { changed = false }, 2
  while at <= #packed do
    local nameLength = packed:byte(at)
    local name = packed:sub(at + 1, at + nameLength)
    at = at + nameLength + 1
    local id, width, length = struct.unpack('<I1I1I2', packed, at)
    state[#state + 1] = newEntry(name, id, width, packed:sub(at + 4, at + 3 + length))
    at = at + 4 + length
  end
  return state
end

local function formatOf(moments, counts, size)
  -- What most rows are need not be put together.
  if moments == 1 and counts == 1 then
    return size == 2 and '<I6I2' or size == 4 and '<I6I4' or '<I6I7'
  end
  return '<' .. ('I6'):rep(moments) .. ('I' .. size):rep(counts)
end

-- A copy of the row that is kept, or nothing where it is of another shape: a denied request leaves the state as it was. What may stand
-- after its last cell is none of it.
local function cellsOf(entry, id, moments, counts)
  if entry.id ~= id then return end
  local stored = moments + counts
  if entry.row then
    local writtenMoments, writtenCounts = shapeOf(entry)
    local isSame = writtenMoments == moments and writtenCounts == counts
    return isSame and { unpack(entry.row, 1, stored) } or nil
  end
  if entry.width > 0 and entry.width ~= stored then return end
  local size = (#entry.cells - 6 * moments) / counts
  if size ~= 2 and size ~= 4 and size ~= 7 then return end
  return { struct.unpack(formatOf(moments, counts, size), entry.cells) }
end

local function pack(entry)
  local row, largest = entry.row, 0
  local moments, counts = shapeOf(entry)
  for i = moments + 1, moments + counts do
    if row[i] > largest then largest = row[i] end
  end
  local size = largest < 65536 and 2 or largest < 4294967296 and 4 or 7
  entry.width = entry.id > 127 and moments + counts or 0
  entry.cells = struct.pack(formatOf(moments, counts, size), unpack(row, 1, moments + counts))
end

local function join(state)
  if #state == 1 and state[1].name == '' and state[1].id < 127 then
    return string.char(state[1].id) .. state[1].cells
  end
  local parts = { '\\0' }
  for _, entry in ipairs(state) do
    parts[#parts + 1] = string.char(#entry.name) .. entry.name
    parts[#parts + 1] = struct.pack('<I1I1I2', entry.id, entry.width, #entry.cells) .. entry.cells
  end
  return table.concat(parts)
end
`
