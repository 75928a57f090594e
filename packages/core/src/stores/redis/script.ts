import type { Algorithm } from '../../algorithms/algorithm.js'

/** The script that decides by these algorithms and no others. */
export function assembleScript(algorithms: readonly Algorithm[]): string {
  const steps = algorithms.map(({ id, lua }) => `[${id}] = ${lua.trim()},`)
  return `${header}\nlocal algorithms = {\n${steps.join('\n')}\n}\n${state}\n${decision}\n${main}`
}

const header = `
-- Decides a list of requests, each all or nothing.
--
-- KEYS     the state of each key that the requests name, a string
-- ARGV 1   the server's time after which this call is void, ms, or ''
--      2   the number of rules; then for each: name, algorithm, moments, counts, number of params, params
--      …   then for each request: verb, cost, the time to decide by in ms or '' for the server's, how long its states are kept
--          after their end in ms, number of entries; for each entry: rule, key
--
-- Returns  {server ms}                    the call came too late, and nothing was done
--          {server ms, answer, …}         an answer for each request: {allowed, cells of each entry's row …},
--                                         or a string, the error of that request alone
`

const state = `
-- A state is a string: the algorithm's id and the cells of the only policy, if that is the unnamed one; else a zero, and for each policy
-- its name's length, its name, the id, the length of its cells (two bytes), its cells. A moment takes six bytes; a count as many
-- as the largest count of the row needs, two, four or seven.

local function parse(packed)
  local state = {}
  if not packed then return state end
  if packed:byte(1) ~= 0 then
    state[1] = { name = '', id = packed:byte(1), cells = packed:sub(2) }
    return state
  end
  local at = 2
  while at <= #packed do
    local nameLength = packed:byte(at)
    local name = packed:sub(at + 1, at + nameLength)
    at = at + nameLength + 1
    local id, length = struct.unpack('<I1I2', packed, at)
    state[#state + 1] = { name = name, id = id, cells = packed:sub(at + 3, at + 2 + length) }
    at = at + 3 + length
  end
  return state
end

local function pack(rule, row)
  local largest = 0
  for i = rule.moments + 1, rule.width do
    if row[i] > largest then largest = row[i] end
  end
  local size = largest < 65536 and 2 or largest < 4294967296 and 4 or 7
  return struct.pack('<' .. ('I6'):rep(rule.moments) .. ('I' .. size):rep(rule.counts), unpack(row, 1, rule.width))
end

local function unpackCells(rule, cells)
  local size = (#cells - 6 * rule.moments) / rule.counts
  if size == 2 or size == 4 or size == 7 then
    return { struct.unpack('<' .. ('I6'):rep(rule.moments) .. ('I' .. size):rep(rule.counts), cells) }
  end
end

local function join(state)
  if #state == 1 and state[1].name == '' then
    return string.char(state[1].id) .. state[1].cells
  end
  local parts = { '\\0' }
  for _, entry in ipairs(state) do
    parts[#parts + 1] = string.char(#entry.name) .. entry.name
    parts[#parts + 1] = struct.pack('<I1I2', entry.id, #entry.cells) .. entry.cells
  end
  return table.concat(parts)
end
`

const decision = `
local serverTime = redis.call('TIME')
local serverMs = serverTime[1] * 1000 + math.floor(serverTime[2] / 1000)

-- Each key's state is read once and written once, whatever the number of requests that touch it.
local states = {}

local function stateOf(key)
  local state = states[key]
  if not state then
    state = parse(redis.call('GET', KEYS[key]))
    states[key] = state
  end
  return state
end

local function entryOf(rule, state)
  for i, entry in ipairs(state) do
    if entry.name == rule.name then return entry, i end
  end
end

-- A copy: a denied request leaves the state as it was.
local function rowOf(rule, state)
  local entry = entryOf(rule, state)
  local kept = entry and entry.id == rule.id and (entry.row or unpackCells(rule, entry.cells))
  local row = {}
  for i = 1, rule.width do row[i] = kept and kept[i] or 0 end
  return row
end

local function keep(rule, state, row, request)
  local entry = entryOf(rule, state)
  if not entry then
    entry = { name = rule.name }
    state[#state + 1] = entry
  end
  entry.id, entry.rule, entry.row, entry.request = rule.id, rule, row, request
  state.changed = true
end

local function forget(rule, state)
  local _, i = entryOf(rule, state)
  if i then
    table.remove(state, i)
    state.changed = true
  end
end

local function decide(request)
  local answer = { 1 }
  if request.verb == 'reset' then
    for _, entry in ipairs(request) do forget(entry.rule, stateOf(entry.key)) end
    return answer
  end
  local rows = {}
  for i, entry in ipairs(request) do
    local row = rowOf(entry.rule, stateOf(entry.key))
    rows[i] = row
    if not entry.rule.steps.look(row, entry.rule.params, request.now, request.cost) then answer[1] = 0 end
  end
  if answer[1] == 1 and request.verb == 'consume' then
    for i, entry in ipairs(request) do
      entry.rule.steps.take(rows[i], entry.rule.params, request.now, request.cost)
      keep(entry.rule, stateOf(entry.key), rows[i], request)
    end
  end
  for i, entry in ipairs(request) do
    for cell = 1, entry.rule.width do answer[#answer + 1] = rows[i][cell] end
  end
  return answer
end

-- Policies that this call does not know of stay as they are, and keep the state alive as long as it was to live.
local function write(key, state)
  local kept, lives = {}, 0
  for _, entry in ipairs(state) do
    if not entry.row then
      lives = math.max(lives, redis.call('PTTL', KEYS[key]))
      kept[#kept + 1] = entry
    else
      local left = entry.rule.steps.ends(entry.row, entry.rule.params) - entry.request.now
      if left > 0 then
        lives = math.max(lives, left + entry.request.margin)
        entry.cells = pack(entry.rule, entry.row)
        kept[#kept + 1] = entry
      end
    end
  end
  if #kept == 0 then
    redis.call('DEL', KEYS[key])
  else
    redis.call('SET', KEYS[key], join(kept), 'PX', lives)
  end
end
`

const main = `
if ARGV[1] ~= '' and serverMs > tonumber(ARGV[1]) then return { serverMs } end

local position = 1
local function argument()
  position = position + 1
  return ARGV[position]
end

local rules = {}
for i = 1, tonumber(argument()) do
  local rule = { name = argument(), id = tonumber(argument()), params = {} }
  rule.moments, rule.counts = tonumber(argument()), tonumber(argument())
  rule.width = rule.moments + rule.counts
  rule.steps = algorithms[rule.id]
  for j = 1, tonumber(argument()) do rule.params[j] = tonumber(argument()) end
  rules[i] = rule
end

local requests, reply = {}, { serverMs }
while position < #ARGV do
  local request = { verb = argument(), cost = tonumber(argument()) }
  request.now = tonumber(argument()) or serverMs
  request.margin = tonumber(argument())
  for i = 1, tonumber(argument()) do
    request[i] = { rule = rules[tonumber(argument())], key = tonumber(argument()) }
  end
  requests[#requests + 1] = request
  local ok, answer = pcall(decide, request)
  reply[#reply + 1] = ok and answer or tostring(answer)
end

for key, state in pairs(states) do
  if state.changed then
    local ok, err = pcall(write, key, state)
    if not ok then
      for i, request in ipairs(requests) do
        for _, entry in ipairs(request) do
          if entry.key == key then reply[i + 1] = tostring(err) end
        end
      end
    end
  end
end

return reply
`
