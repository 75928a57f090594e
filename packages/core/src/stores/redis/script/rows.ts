/** How the rows that a call works on are found, read once, and written once. */
export const rowsLua: string = `
local rules, questions, requests = cjson.decode(ARGV[2]), cjson.decode(ARGV[3]), cjson.decode(ARGV[4])

local serverTime = redis.call('TIME')
local serverMs = serverTime[1] * 1000 + math.floor(serverTime[2] / 1000)

-- Each key's state is read once and written once, whatever the number of requests that touch it.
local states, none, unblocked = {}, {}, { 0, 0 }

-- A state is read and written as a whole. One with more rows than this has a policy name for each client.
local MOST_ROWS = 255

local function stateOf(key)
  local state = states[key]
  if not state then
    state = parse(redis.call('GET', KEYS[key]))
    if #state > MOST_ROWS then error('a key has the counts of more than ' .. MOST_ROWS .. ' policies', 0) end
    states[key] = state
  end
  return state
end

-- The row of a policy's block or reset, by that id; without an id, the policy's own row.
local function entryOf(rule, state, id)
  for i = 1, #state do
    local entry = state[i]
    local isKind = entry.id == id or not id and entry.id ~= BLOCK and entry.id ~= RESET
    if isKind and entry.name == rule.name then return entry, i end
  end
end

local function rowOf(rule, state)
  local entry = entryOf(rule, state)
  local row = entry and cellsOf(entry, rule.id, rule.moments, rule.counts)
  local kept = row and rule.stored or 0
  row = row or {}
  for i = kept + 1, rule.width do row[i] = 0 end
  return row
end

local function blockOf(rule, state)
  local entry = entryOf(rule, state, BLOCK)
  return entry and cellsOf(entry, BLOCK, 1, 1) or unblocked
end

local function resetOf(rule, state, question)
  local entry, i = entryOf(rule, state, RESET)
  local reset = entry and cellsOf(entry, RESET, 2, 1)
  if not reset then return false end
  -- The next write leaves it out.
  if reset[2] + question.margin <= question.now then
    table.remove(state, i)
    return false
  end
  return reset
end

-- Notes a row to be written. Until when it is kept, is read from the last form of it.
local function put(work, question, id, row)
  assertMemory(question)
  local rule, state = work.rule, work.state
  local entry = entryOf(rule, state, id)
  if not entry then
    entry = newEntry(rule.name, 0, 0, '')
    state[#state + 1] = entry
  end
  entry.id = id or rule.id
  entry.row, entry.rule, entry.question = row, rule, question
  if not id then entry.bodies = work.bodies end
  state.changed = true
end

local function save(work, question)
  put(work, question, nil, work.row)
end

local function saveBlock(work, question)
  put(work, question, BLOCK, work.block)
end

local function saveReset(work, question)
  put(work, question, RESET, work.reset)
end

-- How long the state of a row is kept, ms; 0 where it has ended.
local function lifeOf(entry)
  local question, rule, ends = entry.question, entry.rule, nil
  if entry.id == BLOCK then ends = entry.row[1] + entry.row[2]
  elseif entry.id == RESET then ends = entry.row[2]
  else ends = rule.steps.ends(entry.row, rule.params) end
  return ends > question.now and ends - question.now + question.margin or 0
end

-- Where the request after this one stands.
local function after(question, at)
  at = at + 1
  for i = 1, #question do at = at + 1 + question[i].rule.bodies end
  return at
end

-- Finds the state of each rule of a request: what one of a question's works held for the request before is over.
local function find(question, at)
  for i = 1, #question do
    local work = question[i]
    local rule, state = work.rule, stateOf(requests[at + 1])
    work.state, work.row, work.block = state, rowOf(rule, state), blockOf(rule, state)
    work.reset = resetOf(rule, state, question)
    work.unborn = rule.born and rule.steps.ends(work.row, rule.params) <= question.now
    at = at + 1
    if rule.bodies > 0 then
      work.bodies = {}
      for body = 1, rule.bodies do work.bodies[body] = KEYS[requests[at + body]] end
      work.steps = rule.steps.over(work.bodies, question.lease)
      at = at + rule.bodies
    end
  end
end

-- Rows that this call has not written stay as they are, and keep the state alive as long as it was to live.
local function write(key, state)
  local count, lives = 0, 0
  for i = 1, #state do
    local entry = state[i]
    local life = entry.row and lifeOf(entry) or redis.call('PTTL', KEYS[key])
    if entry.row and life > 0 then pack(entry) end
    for _, body in ipairs(entry.bodies or none) do
      if life > 0 then redis.call('PEXPIRE', body, life) else redis.call('DEL', body) end
    end
    if life > 0 then
      count, lives = count + 1, math.max(lives, life)
      state[count] = entry
    end
  end
  for i = #state, count + 1, -1 do state[i] = nil end
  if count == 0 then
    redis.call('DEL', KEYS[key])
  elseif full and state.isNew then
    error(full, 0)
  else
    -- As a string: Redis would write a number with all the digits of a fraction, which takes as long as the rest.
    redis.call('SET', KEYS[key], join(state), 'PX', string.format('%d', lives))
  end
end
`
