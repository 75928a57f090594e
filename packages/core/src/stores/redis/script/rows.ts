import { mostBodies } from '../../../algorithms/algorithm.js'

/** Finds the rows of a call. Each key is read once and written once. */
export const rowsLua: string = `
local rules, templates, requests = cjson.decode(ARGV[2]), cjson.decode(ARGV[3]), cjson.decode(ARGV[4])

local serverTime = redis.call('TIME')
local serverMs = serverTime[1] * 1000 + math.floor(serverTime[2] / 1000)

-- Each key's state is read once and written once, for any number of requests that use it.
local states, none, unblocked = {}, {}, { 0, 0 }

-- A state is read and written as a whole. More rows than this are a mistake: policy names that differ for each client.
local MOST_ROWS = 255

local MOST_BODIES = ${mostBodies}

local function stateOf(key)
  local state = states[key]
  if not state then
    state = parse(redis.call('GET', KEYS[key]))
    state.key = KEYS[key]
    if #state > MOST_ROWS then error('a key has the counts of more than ' .. MOST_ROWS .. ' policies', 0) end
    states[key] = state
  end
  return state
end

-- Finds the row of a policy's block or reset by that id, and without an id the row of the policy's form.
local function partOf(rule, state, id)
  for i = 1, #state do
    local part = state[i]
    local isForm = part.id == (id or rule.id) and (part.width == 0 or part.width == rule.stored)
    if isForm and part.name == rule.name then return part, i end
  end
end

-- Returns whether a part is the row of a policy, in any form.
local function isRowOf(part, rule)
  return part.name == rule.name and part.id ~= BLOCK and part.id ~= RESET
end

local function rowOf(rule, state)
  local part = partOf(rule, state)
  local row = part and cellsOf(part, rule.moments, rule.counts)
  local kept = row and rule.stored or 0
  row = row or {}
  for i = kept + 1, rule.width do row[i] = 0 end
  return row
end

local function blockOf(rule, state)
  local part = partOf(rule, state, BLOCK)
  return part and cellsOf(part, 1, 1) or unblocked
end

local function resetOf(rule, state, template)
  local part, i = partOf(rule, state, RESET)
  local reset = part and cellsOf(part, 2, 1)
  if not reset then return false end
  -- Expired: the next write omits it.
  if reset[2] + template.margin <= template.now then
    table.remove(state, i)
    return false
  end
  return reset
end

-- Adds a row after those of other forms, so that the rows have the order of their policies once the other forms have ended.
local function add(rule, state, id)
  local at = #state
  for i = 1, #state do
    if not id and isRowOf(state[i], rule) then at = i end
  end
  local part = newPart(rule.name, id or rule.id, not id and rule.id > 127 and rule.stored or 0, '', false)
  table.insert(state, at + 1, part)
  return part
end

-- Marks a row to be written at the end of the call. Its last value determines how long it is kept.
local function put(cursor, template, id, row)
  assertMemory(template)
  local rule, state = cursor.rule, cursor.state
  local part = partOf(rule, state, id) or add(rule, state, id)
  part.row, part.rule, part.template = row, rule, template
  if not id then part.bodies = cursor.bodies end
  state.changed = true
end

local function save(cursor, template)
  put(cursor, template, nil, cursor.row)
end

local function saveBlock(cursor, template)
  put(cursor, template, BLOCK, cursor.block)
end

local function saveReset(cursor, template)
  put(cursor, template, RESET, cursor.reset)
end

-- Returns how long a row is kept, ms; at most 0 if it has expired. A row that this call does not write is kept as long as its state, or to its end.
local function lifeOf(part, state)
  if not part.row then return part.ends and part.ends - serverMs or redis.call('PTTL', state.key) end
  local template, rule, ends = part.template, part.rule, nil
  if part.id == BLOCK then ends = part.row[1] + part.row[2]
  elseif part.id == RESET then ends = part.row[2]
  else ends = rule.steps.ends(part.row, rule.params) end
  return ends > template.now and ends - template.now + template.margin or 0
end

-- Returns the index of the next request.
local function after(template, at)
  at = at + 1
  for i = 1, #template do at = at + 1 + template[i].listed end
  return at
end

-- Returns the names of the first body keys that the request lists for a rule.
local function bodiesOf(cursor, count)
  local bodies = {}
  for body = 1, count do bodies[body] = KEYS[requests[cursor.at + body]] end
  return bodies
end

-- Finds the state of each rule of a request. All requests of a template reuse its cursors.
local function find(template, at)
  for i = 1, #template do
    local cursor = template[i]
    local rule, state = cursor.rule, stateOf(requests[at + 1])
    cursor.state, cursor.row, cursor.block = state, rowOf(rule, state), blockOf(rule, state)
    cursor.reset = resetOf(rule, state, template)
    cursor.isInitial = rule.persists and rule.steps.ends(cursor.row, rule.params) <= template.now
    at = at + 1
    cursor.at = at
    if rule.bodies > 0 then
      cursor.bodies = bodiesOf(cursor, rule.bodies)
      cursor.steps = rule.steps.bind(cursor.bodies, template.lease)
    end
    at = at + cursor.listed
  end
end

local function hasOtherForm(part, state)
  for i = 1, #state do
    if state[i] ~= part and isRowOf(state[i], part) then return isRowOf(part, part) end
  end
  return false
end

-- Rows that this call has not changed are written unchanged, and the state's remaining TTL is not shortened.
local function write(key, state)
  local count, lives = 0, 0
  for i = 1, #state do
    local part = state[i]
    local life = lifeOf(part, state)
    if part.row and life > 0 then pack(part) end
    if part.row or not part.ends then part.ends = serverMs + life end
    for _, body in ipairs(part.bodies or none) do
      if life > 0 then redis.call('PEXPIRE', body, life) else redis.call('DEL', body) end
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
    redis.call('DEL', KEYS[key])
  elseif full and state.isNew then
    error(full, 0)
  else
    -- As a string, because Redis formats numbers with all the digits of a fraction, which takes as long as the rest.
    redis.call('SET', KEYS[key], join(state), 'PX', string.format('%d', lives))
  end
end
`
