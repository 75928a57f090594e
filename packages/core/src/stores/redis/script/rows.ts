import { mostBodies } from '../../../algorithms/algorithm.js'

/** Finds the rows of a call. Each key is read once and written once. */
export const rowsLua: string = `
local rules, templates, requests = cjson.decode(ARGV[2]), cjson.decode(ARGV[3]), cjson.decode(ARGV[4])

local serverTime = redis.call('TIME')
local serverMs = serverTime[1] * 1000 + math.floor(serverTime[2] / 1000)

-- Each key's state is read once and written once, for any number of requests that use it.
local states, none, unblocked = {}, {}, { 0, 0 }

local MOST_BODIES = ${mostBodies}

local function stateOf(key)
  local state = states[key]
  if not state then
    state = parse(redis.call('GET', KEYS[key]))
    state.key, state.serverMs = KEYS[key], serverMs
    states[key] = state
  end
  return state
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

local function save(cursor, template)
  assertMemory(template)
  local row, rule = cursor.row, cursor.rule
  put(rule, cursor.state, nil, row, rule.steps.ends(row, rule.params), template).bodies = cursor.bodies
end

local function saveBlock(cursor, template)
  assertMemory(template)
  local block = cursor.block
  put(cursor.rule, cursor.state, BLOCK, block, block[1] + block[2], template)
end

local function saveReset(cursor, template)
  assertMemory(template)
  put(cursor.rule, cursor.state, RESET, cursor.reset, cursor.reset[2], template)
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
`
