import type { Reading } from '../../algorithms/algorithm.js'
import { decisionLua } from './script-decision.js'
import { stateLua } from './script-state.js'

/** The script that decides by these algorithms and no others. */
export function assembleScript(algorithms: readonly Reading[]): string {
  const steps = algorithms.map(({ id, lua }) => `[${id}] = ${lua.trim()},`)
  return `${header}\nlocal algorithms = {\n${steps.join('\n')}\n}\n${stateLua}\n${decisionLua}\n${main}`
}

const header = `
-- Decides a list of requests, each all or nothing.
--
-- KEYS     the state of each key that the requests name, a string
-- ARGV 1   the server's time after which this call is void, ms
--      2   the number of rules; then for each: name, algorithm, moments, counts, views, body keys, whether a denial bears it, what
--          starts a block or '' (if something does: its length, factor and greatest length), number of params, params
--      …   then for each request: verb, cost, the time to decide by in ms or '' for the server's, id of the lease or '' (if there is
--          one: its owner), number of entries; for each entry: rule, key, its body keys, if there may be a block whether the
--          cost could ever fit, and for a give the receipt: the cells of its row, and when it was decided
--
-- Returns  {server ms}                    the call came too late, and nothing was done
--          {server ms, answer, …}         an answer for each request: {allowed, for each entry: cells of its row, end of its block …},
--                                         or a string, the error of that request alone
--          an error                       this is a replica, and nothing was done
`

const main = `
if serverMs > tonumber(ARGV[1]) then return { serverMs } end

local position = 1
local function argument()
  position = position + 1
  return ARGV[position]
end

local function numbers(count)
  local list, from = {}, position
  for i = 1, count do list[i] = tonumber(ARGV[from + i]) end
  position = from + count
  return list
end

local function ruleArgument()
  local rule = { name = argument() }
  local shape = numbers(6)
  rule.id, rule.moments, rule.counts, rule.bodies = shape[1], shape[2], shape[3], shape[5]
  rule.width = shape[2] + shape[3] + shape[4]
  rule.bornDenied = shape[6] == 1
  rule.steps = algorithms[rule.id]
  rule.blockOn = argument()
  if rule.blockOn ~= '' then rule.block = numbers(3) end
  rule.params = numbers(tonumber(argument()))
  return rule
end

local function workArgument(rules, verb)
  local work = { rule = rules[tonumber(argument())], key = tonumber(argument()) }
  if work.rule.bodies > 0 then
    work.bodies = numbers(work.rule.bodies)
    for i, key in ipairs(work.bodies) do work.bodies[i] = KEYS[key] end
  end
  if work.rule.block then work.possible = argument() == '1' end
  if verb == 'give' then
    work.receipt = numbers(work.rule.width)
    work.receiptNow = tonumber(argument())
  end
  return work
end

-- A state outlives its end by a second, so that a clock which steps back by less still finds it; by a day where the clock is injected,
-- which may run slower than this server's.
local function requestArgument(rules)
  local request = { verb = argument(), cost = tonumber(argument()) }
  local now = tonumber(argument())
  request.now, request.margin = now or serverMs, now and 86400000 or 1000
  local lease = argument()
  if lease ~= '' then request.lease = { id = lease, owner = argument() } end
  for i = 1, tonumber(argument()) do request[i] = workArgument(rules, request.verb) end
  return request
end

-- A replica writes nothing, so the call as a whole answers with its error: some clients look for the master only then.
local refusal
local function messageOf(err)
  local message = tostring(err)
  if message:find('READONLY', 1, true) == 1 then refusal = message end
  return message
end

local rules = {}
for i = 1, tonumber(argument()) do rules[i] = ruleArgument() end

local requests, reply = {}, { serverMs }
while position < #ARGV do
  local request = requestArgument(rules)
  requests[#requests + 1] = request
  local ok, answer = pcall(decide, request)
  reply[#reply + 1] = ok and answer or messageOf(answer)
end

for key, state in pairs(states) do
  if state.changed then
    local ok, err = pcall(write, key, state)
    if not ok then
      local message = messageOf(err)
      for i, request in ipairs(requests) do
        for _, entry in ipairs(request) do
          if entry.key == key then reply[i + 1] = message end
        end
      end
    end
  end
end

return refusal and redis.error_reply(refusal) or reply
`
