import { decide, declareDecision, declareInitial, isAllOrNone } from './decide.js'
import { withFields } from './long-lists.js'
import {
  hasOwnKeys,
  headOf,
  lines,
  list,
  numbered,
  widthOf,
  type NumberedPlan,
  type PlanShape,
} from './policies.js'
import { restLua } from './rest.js'
import { keysOf, readState, writeState, type KeyPlan } from './states.js'

/**
 * The script of a plan: it decides consume and peek requests of one list of policies. It is written for these policies, so that the numbers of most
 * decisions are in local variables.
 */
export function planScript(shape: PlanShape): string {
  const plan = numbered(shape)
  const keys = keysOf(plan)
  const body = declarations(plan, keys) + main(plan, keys)
  return [header, begin, withFields(body, shape)].join('\n')
}

const header = `
-- Decides consume and peek requests of the same policies, each all or nothing.
--
-- KEYS     the state of each key that the requests name, each key once. Or, if the policies have several keys or records, for each request the
--          states of its keys, and the keys of its records
-- ARGV 1   the server's time after which this call is void, ms
--      2   an empty string if the server's time decides, else 'timed'
--      …   the params of each policy; for each policy with a block its length, factor and longest length; for each policy with a name the bytes
--          before its cells, or the name alone; for each key with names the formats of its state, by the size of the counts
--      …   nothing, if each key has one request, to consume 1, by the server's time. Else for each key the number of its requests: n, if all
--          of them consume 1; or -n, and after it for each request its cost, or -1 - cost to peek; if the policies have separate costs, 0,
--          or 1 to peek, and the cost of each policy. If each request has its own keys: without that number, and after each request its
--          lease's id and owner. If the call is timed: before all that, the time to decide by, or an empty string for the server's, and the
--          params of each policy whose params depend on the time. The same key may then occur again, for requests of another time
--
-- Returns  {server ms}      the call came too late, and nothing was done
--          {server ms, …}   flat, for each request in the order of KEYS and ARGV: 0 denied or 1 allowed, plus 2 if one of its policies is exempt,
--                           or is or was blocked, plus 4 if the key of one was reset in this millisecond; the cells of each policy's row; with
--                           the 2, for each policy the end of its block, or minus the end of its exemption; with the 4, for each policy the
--                           number of those resets. Or a string, the error of that request alone
--          an error         this is a replica, and nothing was done
`

const begin = `
-- Locals, because Lua looks up a global by its name on each use. An argument becomes a number by an addition, which is faster than a call.
local KEYS, ARGV, math, string = KEYS, ARGV, math, string
local call, readCells, writeCells = redis.pcall, struct.unpack, struct.pack

local serverTime = call('TIME')
local serverMs = serverTime[1] * 1000 + math.floor(serverTime[2] / 1000)
if serverMs > ARGV[1] + 0 then return { serverMs } end

-- A state is kept for a second after it expires, so that it still exists if the clock steps back by less than that. With an injected clock,
-- which may run slower than the server's, it is kept for a day.
local now, margin = serverMs, 1000
local isTimed = ARGV[2] ~= ''

-- States in another form than that of this plan are read and written by these functions. Most calls do not create them.
local openRest = ${restLua}
local rest, policies, time
`

function declarations({ policies }: NumberedPlan, keys: readonly KeyPlan[]): string {
  const named = keys.filter(({ policies: [first] }) => first.isNamed)
  return `
${lines(policies, ({ declare }) => declare)}
${lines(
  policies.filter(({ isNamed }) => isNamed),
  headOf,
)}
${lines(named, ({ key, policies: own }) => `local heads${key} = ${1 + 2 * own.length} + ${own.map(({ n }) => `#head${n}`).join(' + ')}`)}
`
}

function main(plan: NumberedPlan, keys: readonly KeyPlan[]): string {
  const { policies, requestArg, shape } = plan
  const width = policies.reduce((sum, policy) => sum + widthOf(policy), 1)
  const loop = hasOwnKeys(shape) ? loopOverRequests(plan, keys) : loopOverKeys(plan, keys)
  return `
local nextArg = ${requestArg}
local isListed = #ARGV >= nextArg
-- Of the size that one answer has, because a table that grows is copied.
local reply, size = { serverMs, ${list(Math.min(width, 40), () => '0').join(', ')} }, 1

${loop}

for i = #reply, size + 1, -1 do reply[i] = nil end
return reply
`
}

/** Each key has any number of requests, and is read once and written once. */
function loopOverKeys(plan: NumberedPlan, [only]: readonly KeyPlan[]): string {
  const asked = plan.shape.hasCosts ? 1 + plan.policies.length : 1
  return `for key = 1, #KEYS do
  local count, asksAt = 1, nil
  ${readTime(plan)}
  if isListed then
    count, nextArg = ARGV[nextArg] + 0, nextArg + 1
    if count < 0 then
      count, asksAt = -count, nextArg
      nextArg = nextArg + count * ${asked}
    end
  end
  local key1 = KEYS[key]
  ${declareDecision(plan)}
  ${readState(only)}
  ${declareInitial(plan)}
  -- A second look at the same time leaves the row unchanged, so a request that takes no units does not affect the next one.
  local first = size
  for i = 1, failure and 0 or count do
    ${declareAsk(plan)}
    if asksAt then
      ${readAsk(plan, `asksAt + (i - 1) * ${asked}`)}
    end
    ${decide(plan)}
    if failure then break end
  end
  ${writeState(only, isAllOrNone(plan) ? 'isTaken' : undefined)}
  ${fail('count')}
end`
}

/** Each request has its own keys, and reads and writes them alone. */
function loopOverRequests(plan: NumberedPlan, keys: readonly KeyPlan[]): string {
  const { policies, shape } = plan
  let keyAt = keys.length
  const withRecords = policies.filter((policy) => policy.recordKeyCount > 0)
  const bound = lines(withRecords, ({ n, recordKeyCount: count }) => {
    const from = keyAt
    keyAt += count
    return `local recordKeys${n} = { ${list(count, (i) => `KEYS[keyAt + ${from + i}]`).join(', ')} }
    local bound${n} = steps${n}.bind(recordKeys${n}, lease)`
  })
  const hasLeases = policies.some((policy) => policy.hasLeases)
  const writes = keys.map((key) => writeState(key, isAllOrNone(plan) ? 'isTaken' : undefined))
  return `for keyAt = 0, #KEYS - 1, ${keyAt} do
  local ${keys.map(({ key }) => `key${key}`).join(', ')} = ${keys.map(({ key }) => `KEYS[keyAt + ${key}]`).join(', ')}
  ${declareAsk(plan)}
  local lease
  ${readTime(plan)}
  if isListed then
    ${readAsk(plan, 'nextArg')}
    nextArg = nextArg + ${shape.hasCosts ? 1 + policies.length : 1}
    ${
      hasLeases
        ? `lease = { id = ARGV[nextArg], owner = ARGV[nextArg + 1] }
    nextArg = nextArg + 2`
        : ''
    }
  end
  ${bound}
  ${declareDecision(plan)}
  ${lines(keys, readState)}
  ${declareInitial(plan)}
  local first = size
  if not failure then
    ${decide(plan)}
  end
  ${writes.join('\n  if not failed then')}
  ${keys
    .slice(1)
    .map(() => 'end')
    .join(' ')}
  ${fail('1')}
end`
}

/** Each time has the params that depend on it. */
function readTime({ policies }: NumberedPlan): string {
  const dated = policies.filter(({ isDated }) => isDated)
  return `if isTimed then
    local at = ARGV[nextArg]
    nextArg = nextArg + 1
    if at == '' then now, margin = serverMs, 1000 else now, margin = at + 0, 86400000 end
    ${lines(
      dated,
      ({ n, params }) => `for i = 1, ${params} do params${n}[i] = ARGV[nextArg + i - 1] + 0 end
    nextArg = nextArg + ${params}`,
    )}
  end`
}

function declareAsk({ policies, shape }: NumberedPlan): string {
  const costs = shape.hasCosts ? policies.map(({ cost }) => cost) : ['cost']
  return `local isPeek = false
    local ${costs.join(', ')} = ${costs.map(() => '1').join(', ')}`
}

function readAsk({ policies, shape }: NumberedPlan, at: string): string {
  if (!shape.hasCosts) {
    return `cost = ARGV[${at}] + 0
      if cost < 0 then cost, isPeek = -1 - cost, true end`
  }
  return `local ask = ${at}
      isPeek = ARGV[ask] == '1'
      ${lines(policies, ({ cost, n }) => `${cost} = ARGV[ask + ${n}] + 0`)}`
}

/** Replaces the answers to the last requests by the error of their key. */
function fail(count: string): string {
  return `failure = failure or failed
  if failure then
    -- On a replica the whole call returns the error, because some clients look for the master only then.
    if failure:find('READONLY', 1, true) == 1 then return redis.error_reply(failure) end
    for i = 1, ${count} do reply[first + i] = failure end
    size = first + ${count}
  end`
}
