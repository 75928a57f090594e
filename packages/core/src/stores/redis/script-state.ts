/** How a key's state is written, and read again. */
export const stateLua: string = `
-- A state is a string of rows. If there is only one, of an algorithm below 127 and of the unnamed policy: the algorithm's id and the
-- cells. Else a zero, and for each row the length of its policy's name, that name, the id, the number of cells (0 where all rows of
-- the algorithm have the same), the length of the cells, and the cells. A moment takes six bytes; a count as many as the largest
-- count of the row needs, two, four or seven. The id of a block's row is 127: one moment, the block's end, and one count, its length.

local BLOCK = 127

local function parse(packed)
  local state = {}
  if not packed then return state end
  if packed:byte(1) ~= 0 then
    state[1] = { name = '', id = packed:byte(1), width = 0, cells = packed:sub(2) }
    return state
  end
  local at = 2
  while at <= #packed do
    local nameLength = packed:byte(at)
    local name = packed:sub(at + 1, at + nameLength)
    at = at + nameLength + 1
    local id, width, length = struct.unpack('<I1I1I2', packed, at)
    state[#state + 1] = { name = name, id = id, width = width, cells = packed:sub(at + 4, at + 3 + length) }
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

-- The row that is kept for a rule, or nothing where it is of another shape.
local function cellsOf(entry, id, moments, counts)
  if entry.id ~= id then return end
  if entry.row then
    return entry.moments == moments and entry.counts == counts and entry.row
  end
  if entry.width > 0 and entry.width ~= moments + counts then return end
  local size = (#entry.cells - 6 * moments) / counts
  if size ~= 2 and size ~= 4 and size ~= 7 then return end
  return { struct.unpack(formatOf(moments, counts, size), entry.cells) }
end

local function pack(entry)
  local width, largest = entry.moments + entry.counts, 0
  for i = entry.moments + 1, width do
    if entry.row[i] > largest then largest = entry.row[i] end
  end
  local size = largest < 65536 and 2 or largest < 4294967296 and 4 or 7
  entry.width = entry.id > 127 and width or 0
  entry.cells = struct.pack(formatOf(entry.moments, entry.counts, size), unpack(entry.row, 1, width))
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
