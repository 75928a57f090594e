import { mostRecordKeys, type Reading } from '../../../algorithms/algorithm.js'
import { luaOf } from '../../../algorithms/scripts.js'
import { statesLua } from './rest.js'
import { verbsLua } from './verbs.js'

/**
 * The script of single requests: of any verb, and of any policies of these algorithms. It loops over the policies, and reads and writes states of any form
 * in one way, so it takes longer than the script of a plan.
 */
export function requestScript(algorithms: readonly Reading[]): string {
  // One function per algorithm, so that a call creates the steps only of the algorithms that it uses.
  const steps = algorithms.map(({ id }) => `[${id}] = function() return ${luaOf(id)}\nend,`)
  const table = `local algorithms = {\n${steps.join('\n')}\n}`
  return [header, begin, table, statesLua, read, verbsLua, main].join('\n')
}

const header = `
-- Runs one request, all or nothing.
--
-- KEYS     for each policy the state of its key, a string, and the keys of its records; for a reset, those of all algorithms
-- ARGV 1   the server's time after which this call is void, ms
--      2   the time to decide by instead of the server's, or an empty string
--      3   the verb
--      4   units to take or to refund, the length of a block or an exemption, or 1 if a reset removes blocks
--      5   the id and the owner of the lease, or empty strings
--      7   for each policy: its name, its id, the numbers of times, counts and extras of its row; the number of the keys of its records; 1 if a denial
--          saves a row; its cost; when a block starts, its length, factor and longest length; the number of its params, and the params. And
--          for refundReceipt the time, the number of resets and the cells of its receipt
--
-- Returns  {server ms}      the call came too late, and nothing was done
--          {server ms, …}   0 denied or 1 allowed, plus 2 if one of the policies is exempt, or is or was blocked, plus 4 if the key of one was
--                           reset in this millisecond; for each policy the cells of its row; with the 2, for each policy the end of its block,
--                           or minus the end of its exemption; with the 4, for each policy the number of those resets. Or a string, the error
--          an error         this is a replica, and nothing was done
`

const begin = `
local serverTime = redis.call('TIME')
local serverMs = serverTime[1] * 1000 + math.floor(serverTime[2] / 1000)
if serverMs > tonumber(ARGV[1]) then return { serverMs } end
`

const read = `
local MOST_RECORD_KEYS = ${mostRecordKeys}
local unblocked = { 0, 0 }

-- A state is kept for a second after it expires, so that it still exists if the clock steps back by less than that. With an injected clock,
-- which may run slower than the server's, it is kept for a day.
local request = {
  verb = ARGV[3],
  now = ARGV[2] == '' and serverMs or tonumber(ARGV[2]),
  margin = ARGV[2] == '' and 1000 or 86400000,
  amount = tonumber(ARGV[4]),
  lease = { id = ARGV[5], owner = ARGV[6] },
}
request.decides = request.verb == 'consume' or request.verb == 'peek'

local lastArg, lastKey = 6, 0

local function text()
  lastArg = lastArg + 1
  return ARGV[lastArg]
end

local function number()
  return tonumber(text())
end

local function numbers(count)
  local list = {}
  for i = 1, count do list[i] = number() end
  return list
end

local function keys(count)
  local list = {}
  for i = 1, count do list[i] = KEYS[lastKey + i] end
  lastKey = lastKey + count
  return list
end

-- A policy of the request, with its row. Policies of one key share its state.
while lastArg < #ARGV do
  local cursor = { key = keys(1)[1], name = text(), id = number(), times = number(), counts = number() }
  cursor.stored = cursor.times + cursor.counts
  cursor.width = cursor.stored + number()
  cursor.recordKeyCount = number()
  cursor.persists, cursor.cost = text() == '1', number()
  cursor.startsOn, cursor.length, cursor.escalate, cursor.most = text(), number(), number(), number()
  cursor.params = numbers(number())
  if request.verb == 'refundReceipt' then
    cursor.receipt = { now = number(), resets = number(), row = numbers(cursor.width) }
  end
  cursor.recordKeys = keys(request.verb == 'reset' and MOST_RECORD_KEYS or cursor.recordKeyCount)
  cursor.algorithm = algorithms[cursor.id]()
  cursor.steps = cursor.recordKeyCount > 0 and cursor.algorithm.bind(cursor.recordKeys, request.lease) or cursor.algorithm
  request[#request + 1] = cursor
end

local states, stateOf = {}, {}

local function find()
  for _, cursor in ipairs(request) do
    local state = stateOf[cursor.key]
    if not state then
      state = parse(redis.call('GET', cursor.key))
      state.key, state.serverMs = cursor.key, serverMs
      stateOf[cursor.key], states[#states + 1] = state, state
    end
    cursor.state = state
    cursor.row = rowOf(cursor, state, cursor.width)
    cursor.block = blockOf(cursor, state, request) or unblocked
    cursor.reset = resetOf(cursor, state, request)
    cursor.isInitial = cursor.persists and cursor.algorithm.ends(cursor.row, cursor.params) <= request.now
  end
end

-- If memory is full, Redis refuses commands that may use more, but only until the script's first write. A script that begins with a DEL could
-- then exceed the limit. So a request that may begin with one first sends a SET that changes nothing: NX if the key exists, else XX. The verbs of this list
-- use no more memory, unless they write a new key. A consumption, a penalty, a block or an exemption may use more.
local freeing = { refundReceipt = true, refundUnits = true, release = true, renew = true, reset = true, unblock = true, unexempt = true }
local full = false

local function checkMemory()
  local isAsked = freeing[request.verb]
  for _, cursor in ipairs(request) do isAsked = isAsked or cursor.recordKeyCount > 0 end
  if not isAsked or request.verb == 'peek' or not request[1] then return end
  local reply = redis.pcall('SET', KEYS[1], '', request[1].state.isNew and 'XX' or 'NX')
  local err = type(reply) == 'table' and reply.err
  full = err and err:find('OOM', 1, true) == 1 and err
end

-- Called before a write. A request that frees memory first sends a PEXPIRE that changes nothing, because Redis refuses no command after the first write.
local hasWritten = false
local function assertMemory()
  if not full then return end
  if not freeing[request.verb] then error(full, 0) end
  if not hasWritten then redis.call('PEXPIRE', KEYS[1], 0, 'GT') end
  hasWritten = true
end

local function save(cursor)
  assertMemory()
  local part = put(cursor, cursor.state, nil, cursor.row, cursor.algorithm.ends(cursor.row, cursor.params), request)
  part.recordKeys = cursor.recordKeyCount > 0 and { unpack(cursor.recordKeys, 1, cursor.recordKeyCount) }
end

local function saveBlock(cursor)
  assertMemory()
  putBlock(cursor, cursor.state, cursor.block, request)
end

local function saveReset(cursor)
  assertMemory()
  put(cursor, cursor.state, RESET, cursor.reset, cursor.reset[2], request)
end
`

const main = `
local reply = { serverMs }

local function append(allowed)
  local isBlocked, isReset = false, false
  reply[2] = allowed
  for _, cursor in ipairs(request) do
    for cell = 1, cursor.width do reply[#reply + 1] = cursor.row[cell] end
    if cursor.block[1] ~= 0 then isBlocked = true end
    if cursor.reset and cursor.reset[1] == request.now then isReset = true end
  end
  if isBlocked then
    reply[2] = reply[2] + 2
    for _, cursor in ipairs(request) do reply[#reply + 1] = cursor.block[1] end
  end
  if isReset then
    reply[2] = reply[2] + 4
    for _, cursor in ipairs(request) do
      local reset = cursor.reset
      reply[#reply + 1] = reset and reset[1] == request.now and reset[3] or 0
    end
  end
end

local failure
local ok, allowed = pcall(decide)
if not ok then failure = tostring(allowed) end
for _, state in ipairs(states) do
  if state.changed then
    local written, err = pcall(write, state, full)
    if not written then failure = failure or tostring(err) end
  end
end
if not failure then
  append(allowed)
  return reply
end
-- On a replica the whole call returns the error, because some clients look for the master only then.
if failure:find('READONLY', 1, true) == 1 then return redis.error_reply(failure) end
return { serverMs, failure }
`
