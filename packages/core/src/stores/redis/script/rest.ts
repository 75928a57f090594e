import { stateLua } from './state.js'

/** Finds, adds and writes the rows of a state in any form. These functions use no variable of a script, only their arguments. */
const partsLua = `
-- Finds the row of a policy's block, exemption or reset by that id, and without an id the row of the policy's form.
local function partOf(policy, state, id)
  for i = 1, #state do
    local part = state[i]
    local isForm = part.id == (id or policy.id) and (part.width == 0 or part.width == policy.stored)
    if isForm and part.name == policy.name then return part, i end
  end
end

-- Returns whether a part is the row of a policy, in any form.
local function isRowOf(part, policy)
  return part.name == policy.name and part.id ~= BLOCK and part.id ~= EXEMPTION and part.id ~= RESET
end

-- Adds a row after those of other forms, so that the rows have the order of their policies once the other forms have ended.
local function add(policy, state, id)
  local at = #state
  for i = 1, #state do
    if not id and isRowOf(state[i], policy) then at = i end
  end
  local part = newPart(policy.name, id or policy.id, not id and policy.id > 127 and policy.stored or 0, '', false)
  table.insert(state, at + 1, part)
  return part
end

-- Returns a policy's row, with zeros in the cells that the state does not have; and whether it has the row.
local function rowOf(policy, state, width)
  local part = partOf(policy, state)
  local row = part and cellsOf(part, policy.times, policy.counts)
  local isFound = row ~= nil
  row = row or {}
  for i = isFound and policy.stored + 1 or 1, width do row[i] = 0 end
  return row, isFound
end

-- Returns the end and the length of a policy's block, if it has one. It is kept until it does not make the next one longer. For a policy that is
-- exempt now, the end of the exemption is returned as a negative number.
local function blockOf(policy, state, time)
  local isExemption, part = false, partOf(policy, state, BLOCK)
  if not part then isExemption, part = true, partOf(policy, state, EXEMPTION) end
  local block = part and cellsOf(part, 1, 1)
  -- A text of another program can begin with the id of an exemption, but contains no zeros.
  if not block or isExemption and block[2] ~= 0 then return end
  part.life = block[1] + block[2] + time.margin - time.now
  if not isExemption then return block end
  if block[1] > time.now then return { -block[1], 0 } end
end

-- Returns the row of a policy's resets, or false. Its record counts until it ends.
local function resetOf(policy, state, time)
  local part, i = partOf(policy, state, RESET)
  local reset = part and cellsOf(part, 2, 1)
  if not reset then return false end
  -- The next write omits it once it has expired, because the clock can step back until then.
  if reset[2] + time.margin <= time.now then table.remove(state, i) end
  return reset[2] > time.now and reset
end

-- Marks a row to be written. Its end determines how long it is kept.
local function put(policy, state, id, row, ends, time)
  local part = partOf(policy, state, id) or add(policy, state, id)
  part.row, part.policy = row, policy
  part.life = ends > time.now and ends - time.now + time.margin or 0
  state.changed = true
  return part
end

-- Removes the row of a policy's block or exemption, by that id.
local function removeBlock(policy, state, id)
  local _, i = partOf(policy, state, id)
  if i then
    table.remove(state, i)
    state.changed = true
  end
end

-- Writes a block, or with a negative end an exemption, in place of the other one.
local function putBlock(policy, state, block, time)
  local id, other, ends = BLOCK, EXEMPTION, block[1]
  if ends < 0 then id, other, ends = EXEMPTION, BLOCK, -ends end
  removeBlock(policy, state, other)
  put(policy, state, id, { ends, block[2] }, ends + block[2], time)
end

-- Returns how long a row is kept, ms; at most 0 if it has expired. A row that is not written now is kept to its end if that is known, else as long as
-- its state.
local function lifeOf(part, state)
  if part.life then return part.life end
  return part.ends and part.ends - state.serverMs or redis.call('PTTL', state.key)
end

local function hasOtherForm(part, state)
  for i = 1, #state do
    if state[i] ~= part and isRowOf(state[i], part) then return isRowOf(part, part) end
  end
  return false
end

-- Writes a state. Rows that were not changed are written unchanged, and the state's remaining TTL is not shortened. "full": the error with which
-- Redis refuses a new key.
local function write(state, full)
  local count, lives = 0, 0
  for i = 1, #state do
    local part = state[i]
    local life = lifeOf(part, state)
    if part.row and life > 0 then pack(part) end
    if part.row or not part.ends then part.ends = state.serverMs + life end
    for _, key in ipairs(part.recordKeys or {}) do
      if life > 0 then redis.call('PEXPIRE', key, string.format('%d', life)) else redis.call('DEL', key) end
    end
    if life > 0 then
      count, lives = count + 1, math.max(lives, life)
      state[count] = part
    end
  end
  for i = #state, count + 1, -1 do state[i] = nil end
  for i = 1, count do
    if not hasOtherForm(state[i], state) then state[i].ends = false end
  end
  if count == 0 then
    redis.call('DEL', state.key)
  elseif full and state.isNew then
    error(full, 0)
  else
    -- As a string, because Redis formats numbers with all the digits of a fraction, which takes as long as the rest.
    redis.call('SET', state.key, join(state), 'PX', string.format('%d', lives))
  end
end
`

/** All states, for a script that reads each of them in this way. */
export const statesLua: string = `${stateLua}${partsLua}`

/**
 * All states, for a script of a plan: a function without arguments that returns a table of functions. Nothing of it is created before a state needs it,
 * and it captures no variable of the script, so that it costs a decision about any other state nothing.
 */
export const restLua: string = `function()
${stateLua}${partsLua}
local rest = {}

-- Returns the parts of a state, or throws.
function rest.parse(packed, key, serverMs)
  local state = parse(packed)
  state.key, state.serverMs = key, serverMs
  return state
end

-- Returns a policy's stored cells; the end and the length of its block, or minus the end of its exemption and 0; the number of its resets in this
-- millisecond, or false; and whether the state has its row.
function rest.find(state, policy, time)
  local row, isFound = rowOf(policy, state, policy.stored)
  local block, reset = blockOf(policy, state, time) or { 0, 0 }, resetOf(policy, state, time)
  return row, block[1], block[2], reset and reset[1] == time.now and reset[3], isFound
end

-- Writes the rows and blocks that are not false.
function rest.write(state, time, changes)
  for _, change in ipairs(changes) do
    local policy = change.policy
    if change.row then put(policy, state, nil, change.row, change.ends, time).recordKeys = change.recordKeys end
    if change.blocked then putBlock(policy, state, { change.blocked, change.length }, time) end
  end
  write(state)
end

return rest
end`
