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
--      2   the number of rules; then for each: name, algorithm, moments, counts, views, body keys, whether a
--          denial bears it,--          what starts a block or '', its length, factor and
--          greatest length, number of params, params
--      …   then for each request: verb, cost, the time to decide by in ms or '' for the server's, how long its states are kept
--          after their end in ms, id and owner of the lease, number of entries; for each entry: rule, key, whether
--          its cost could ever fit, its body keys, and for a give the receipt: the cells of its row, the end of its block
--
-- Returns  {server ms}                    the call came too late, and nothing was done
--          {server ms, answer, …}         an answer for each request: {allowed, for each entry: cells of its row, end of its block …},
--                                         or a string, the error of that request alone
`

const main = `
if serverMs > tonumber(ARGV[1]) then return { serverMs } end

local position = 1
local function argument()
  position = position + 1
  return ARGV[position]
end

local rules = {}
for i = 1, tonumber(argument()) do
  local rule = { name = argument(), id = tonumber(argument()), params = {} }
  rule.moments, rule.counts, rule.views = tonumber(argument()), tonumber(argument()), tonumber(argument())
  rule.width = rule.moments + rule.counts + rule.views
  rule.bodies = tonumber(argument())
  rule.bornDenied = argument() == '1'
  rule.blockOn = argument()
  rule.length, rule.factor, rule.greatest = tonumber(argument()), tonumber(argument()), tonumber(argument())
  rule.steps = algorithms[rule.id]
  for j = 1, tonumber(argument()) do rule.params[j] = tonumber(argument()) end
  rules[i] = rule
end

local requests, reply = {}, { serverMs }
while position < #ARGV do
  local request = { verb = argument(), cost = tonumber(argument()) }
  request.now = tonumber(argument()) or serverMs
  request.margin = tonumber(argument())
  request.lease = { id = argument(), owner = argument() }
  for i = 1, tonumber(argument()) do
    local work = { rule = rules[tonumber(argument())], key = tonumber(argument()), possible = argument() == '1' }
    if work.rule.bodies > 0 then
      work.bodies = {}
      for j = 1, work.rule.bodies do work.bodies[j] = KEYS[tonumber(argument())] end
    end
    if request.verb == 'give' then
      work.receipt = {}
      for j = 1, work.rule.width do work.receipt[j] = tonumber(argument()) end
      work.receiptBlock = tonumber(argument())
    end
    request[i] = work
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
