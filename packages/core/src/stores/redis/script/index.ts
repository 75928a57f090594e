import type { Reading } from '../../../algorithms/algorithm.js'
import { luaOf } from '../../../algorithms/scripts.js'
import { decisionLua } from './decision.js'
import { memoryLua } from './memory.js'
import { statesLua } from './rest.js'
import { rowsLua } from './rows.js'

/** Assembles the general script for these algorithms. */
export function assembleScript(algorithms: readonly Reading[]): string {
  // One function per algorithm, so that a call creates the steps only of the algorithms that it uses.
  const steps = algorithms.map(({ id }) => `[${id}] = function() return ${luaOf(id)}\nend,`)
  const table = `local algorithms = {\n${steps.join('\n')}\n}`
  return [header, table, statesLua, memoryLua, rowsLua, decisionLua, main].join('\n')
}

const header = `
-- Decides a list of requests, each all or nothing.
--
-- KEYS     the state of each key that the requests name, a string; and the keys of its bodies
-- ARGV 1   the server's time after which this call is void, ms
--      2   JSON, the rules: a list of { name, id of the algorithm, moments, counts, params }; optionally { views }, { bodies }, the number of
--          the body's keys, { persists }, if a denial saves a row, and { block = { on, length, escalate, max } }
--      3   JSON, the templates: a list of { verb, rules }, the numbers of its rules; { cost }, a number or a list with one for each rule,
--          { units }, { forMs } or { unblock }, as the verb needs; optionally { now }, the time to decide by instead of the server's, { lease = { id, owner } }, and
--          { receipts = { row, now, resets } for each rule }, for refundReceipt
--      4   JSON, the requests, a flat list: for each the number of its template, and for each rule the numbers of its key and its body keys;
--          for a reset, the body keys of the other algorithms follow
--
-- Returns  {server ms}      the call came too late, and nothing was done
--          {server ms, …}   flat, for each request: 0 denied or 1 allowed, plus 2 if one of its rules is or was blocked, plus 4 if the key of
--                           one was reset in this millisecond; for each rule the cells of its row; with the 2, for each rule the end of its block;
--                           with the 4, for each rule the number of those resets. Or a string, the error of that request alone
--          an error         this is a replica, and nothing was done
`

const main = `
if serverMs > tonumber(ARGV[1]) then return { serverMs } end

for _, rule in ipairs(rules) do
  rule.steps = algorithms[rule.id]()
  rule.stored = rule.moments + rule.counts
  rule.width = rule.stored + (rule.views or 0)
  rule.bodies = rule.bodies or 0
end

-- A state is kept for a second after it expires, so that it still exists if the clock steps back by less than that. With an injected clock,
-- which may run slower than the server's, it is kept for a day.
for _, template in ipairs(templates) do
  template.margin = template.now and 86400000 or 1000
  template.now = template.now or serverMs
  template.asks = template.verb == 'consume' or template.verb == 'peek'
  for i, number in ipairs(template.rules) do
    local rule = rules[number]
    template[i] = {
      rule = rule,
      steps = rule.steps,
      state = none,
      row = none,
      block = unblocked,
      reset = false,
      -- The number of body keys that each request lists.
      listed = template.verb == 'reset' and MOST_BODIES or rule.bodies,
      receipt = template.receipts and template.receipts[i],
      cost = type(template.cost) == 'table' and template.cost[i] or template.cost,
    }
  end
  checkMemory(template)
end

-- On a replica the whole call returns the error, because some clients look for the master only then.
local refusal
local function messageOf(err)
  local message = tostring(err)
  if message:find('READONLY', 1, true) == 1 then refusal = message end
  return message
end

-- The reply so far, and the index in it at which the answer of each request begins.
local reply, size, begins = { serverMs }, 1, {}

local at = 1
while at <= #requests do
  local template = templates[requests[at]]
  begins[at] = size + 1
  local ok, allowed = pcall(decide, template, at)
  if ok then
    size = append(reply, size, template, allowed)
  else
    size = size + 1
    reply[size] = messageOf(allowed)
  end
  at = after(template, at)
end

local failed
for key, state in pairs(states) do
  if state.changed then
    local ok, err = pcall(write, state, full)
    if not ok then
      failed = failed or {}
      failed[key] = messageOf(err)
    end
  end
end

-- Returns the reply, with an error in place of the answer to each request whose write failed.
local function amended()
  local list, at = { serverMs }, 1
  while at <= #requests do
    local template, message = templates[requests[at]], nil
    local key, following = at + 1, after(template, at)
    for _, cursor in ipairs(template) do
      message = message or failed[requests[key]]
      key = key + 1 + cursor.listed
    end
    if message then
      list[#list + 1] = message
    else
      for i = begins[at], (begins[following] or size + 1) - 1 do list[#list + 1] = reply[i] end
    end
    at = following
  end
  return list
end

return refusal and redis.error_reply(refusal) or failed and amended() or reply
`
