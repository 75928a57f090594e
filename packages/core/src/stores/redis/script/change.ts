import type { Algorithm } from '../../../algorithms/algorithm.js'
import { luaOf } from '../../../algorithms/scripts.js'
import { overrideWidth } from '../../override.js'
import { noCells, overrideFormat } from './policy.js'

/** The script of all other verbs: one request of any policies of these algorithms. They are rare, so it loops over the policies. */
export function changeScript(algorithms: readonly Algorithm[]): string {
  const steps = algorithms.map(({ id }) => `[${id}] = function() return ${luaOf(id)}\nend,`)
  return `${begin}\nlocal algorithms = {\n${steps.join('\n')}\n}\n${main}`
}

const begin = `
-- Runs one request of a verb that does not decide.
--
-- KEYS     for each policy the hash of its key, and the keys of its records; for a reset, those of all algorithms
-- ARGV 1   the server's time after which this call is void, ms
--      2   the time to use instead of the server's, or an empty string
--      3   the verb
--      4   units to take, to refund or to grant, or 1 if a reset removes blocks, or if a receipt is adjusted
--      5   the length of a block, an exemption or a grant
--      6   the id and the owner of the lease, or empty strings
--      8   for each policy: the fields of its row and of its block or exemption, its id, the numbers of times, of counts, of all cells, and of the keys
--          of its records; when a block starts; the units that a receipt gives back, or takes more if they are negative; the number of its params,
--          and the params. And for refundReceipt the time and the cells of its receipt, and those of its override
--
-- Returns  as the script of decisions, for one request
local serverTime = redis.call('TIME')
local serverMs = serverTime[1] * 1000 + math.floor(serverTime[2] / 1000)
if serverMs > tonumber(ARGV[1]) then return { serverMs } end
`

const main = `
local now = ARGV[2] == '' and serverMs or tonumber(ARGV[2])
local margin = ARGV[2] == '' and 1000 or 86400000
local verb, units, forMs, lease = ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]), { id = ARGV[6], owner = ARGV[7] }
local lastArg, lastKey = 7, 0
local BLOCKED_UNTIL, BLOCK_MS, EXEMPT_UNTIL, GRANT_ENDS, GRANTED, GRANT_USED, PAID = 1, 2, 3, 4, 5, 6, 7
local overrideFormat, overrideWidth, noCells = '${overrideFormat}', ${overrideWidth}, ${noCells}

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
  lastKey = lastKey + count
  return { unpack(KEYS, lastKey - count + 1, lastKey) }
end

local function readPolicy()
  local p = { key = keys(1)[1], field = text(), other = text(), id = number(), times = number(), counts = number(), width = number() }
  p.recordKeys, p.blocksOn, p.cost = keys(number()), text(), number()
  p.params = numbers(number())
  if verb == 'refundReceipt' then p.receiptNow, p.receipt, p.receiptOverride = number(), numbers(p.width), numbers(overrideWidth) end
  p.algorithm = algorithms[p.id]()
  p.steps = p.algorithm.bind and p.algorithm.bind(p.recordKeys, lease) or p.algorithm
  p.stored = p.times + p.counts
  return p
end

local function formatOf(p, size)
  return '<' .. ('I6'):rep(p.times) .. ('I' .. size):rep(p.counts)
end

-- Policies of one key have different names, so none of them reads what another writes.
local function find(p)
  local values = redis.call('HMGET', p.key, p.field, p.other)
  local packed = values[1] or ''
  local size = #packed == 6 * p.times + 4 * p.counts and 4 or #packed == 6 * p.times + 7 * p.counts and 7
  p.row = size and { struct.unpack(formatOf(p, size), packed) } or {}
  for i = size and p.stored + 1 or 1, p.width do p.row[i] = 0 end
  for i = #p.row, p.width + 1, -1 do p.row[i] = nil end
  p.override = { struct.unpack(overrideFormat, (values[2] or '') .. noCells) }
  p.override[PAID] = 0
  p.steps.look(p.row, p.params, now, 0)
end

local function write(p, field, value, ends)
  -- To the second, because the script of decisions leaves the time to live as it is if an end moves within its second.
  local life = string.format('%d', (math.floor(ends / 1000) + 1) * 1000 - now + margin)
  redis.call('HSET', p.key, field, value)
  redis.call('PEXPIRE', p.key, life, 'NX')
  redis.call('PEXPIRE', p.key, life, 'GT')
  for _, key in ipairs(field == p.field and p.recordKeys or {}) do redis.call('PEXPIRE', key, life) end
end

-- A row that has ended is removed.
local function save(p)
  local ends = p.algorithm.ends(p.row, p.params)
  if ends > now then
    local sum = 0
    for i = p.times + 1, p.stored do sum = sum + p.row[i] end
    return write(p, p.field, struct.pack(formatOf(p, sum < 4294967296 and 4 or 7), unpack(p.row, 1, p.stored)), ends)
  end
  redis.call('HDEL', p.key, p.field)
  if p.recordKeys[1] then redis.call('DEL', unpack(p.recordKeys)) end
end

-- Sets the cells from this one on.
local function putOverride(p, first, ...)
  local cells = p.override
  for i, value in ipairs({ ... }) do cells[first - 1 + i] = value end
  local ends = math.max(cells[BLOCKED_UNTIL] + cells[BLOCK_MS], cells[EXEMPT_UNTIL], cells[GRANT_ENDS])
  if ends <= now then return redis.call('HDEL', p.key, p.other) end
  write(p, p.other, struct.pack(overrideFormat, unpack(cells, 1, overrideWidth)), ends)
end

-- Ends the block of the key, its exemption, or its grant: so many cells from this one on. The others stay.
local function endOverride(p, first, count)
  local zeros, isSet = {}, false
  for i = 1, count do
    zeros[i] = 0
    isSet = isSet or p.override[first - 1 + i] > 0
  end
  if isSet then putOverride(p, first, unpack(zeros)) end
end

-- Removes the rows of all algorithms, and their records.
local function reset(p)
  local start = p.field:match('^[^:]*:')
  local fields = redis.call('HKEYS', p.key)
  for _, field in ipairs(fields) do
    if field:sub(1, #start) == start and field ~= p.other then redis.call('HDEL', p.key, field) end
  end
  if fields[1] then redis.call('DEL', unpack(p.recordKeys)) end
  -- A token, and a bucket that is full, are kept.
  p.steps.refund(p.row, p.params, now, math.huge)
  if p.algorithm.ends(p.row, p.params) > now then save(p) end
  endOverride(p, BLOCKED_UNTIL, 2)
end

local function differ(row, other)
  for i = 1, #row do
    if row[i] ~= other[i] then return true end
  end
  return false
end

-- Returns whether a refund removes the block: without the refunded consumption, the limit would not have been reached.
local function isUndone(p)
  local blockedUntil, blockMs = p.override[BLOCKED_UNTIL], p.override[BLOCK_MS]
  return p.blocksOn == 'reached' and blockMs > 0 and blockedUntil > now and blockedUntil - blockMs >= p.receiptNow
end

-- Returns units of a consumption to the grant that paid them, or takes more, if it still is the key's.
local function repay(p)
  local cells = p.override
  if cells[GRANT_ENDS] <= now or cells[GRANT_ENDS] ~= p.receiptOverride[GRANT_ENDS] then return units == 0 end
  if p.cost > 0 and isUndone(p) then cells[BLOCKED_UNTIL], cells[BLOCK_MS] = 0, 0 end
  putOverride(p, GRANT_USED, math.max(0, cells[GRANT_USED] - p.cost))
end

-- Returns false if there was nothing to change.
local function change(p)
  local steps, row, params = p.steps, p.row, p.params
  local looked = { unpack(row) }
  if verb == 'block' then return putOverride(p, BLOCKED_UNTIL, now + forMs, 0, 0) ~= false
  elseif verb == 'exempt' then return putOverride(p, BLOCKED_UNTIL, 0, 0, now + forMs) ~= false
  elseif verb == 'grant' then return putOverride(p, GRANT_ENDS, now + forMs, units, 0) ~= false
  elseif verb == 'unblock' then return endOverride(p, BLOCKED_UNTIL, 2) ~= false
  elseif verb == 'unexempt' then return endOverride(p, EXEMPT_UNTIL, 1) ~= false
  elseif verb == 'ungrant' then return endOverride(p, GRANT_ENDS, 3) ~= false
  elseif verb == 'reset' then return reset(p) ~= false
  elseif verb == 'release' or verb == 'renew' then
    if not steps[verb] or not steps[verb](row, params, now) then return false end
  elseif verb == 'penalize' then
    steps.take(row, params, now, units)
  elseif verb == 'refundUnits' then steps.refund(row, params, now, units)
  elseif p.receiptOverride[PAID] > 0 then return repay(p) ~= false
  elseif not steps.release and now >= p.algorithm.ends(p.receipt, params) then return units == 0
  else
    if p.cost < 0 then steps.take(row, params, now, -p.cost)
    else steps.refund(row, params, now, p.cost, { row = p.receipt, now = p.receiptNow, isPart = units == 1 }) end
    if p.cost > 0 and differ(row, looked) and isUndone(p) then endOverride(p, BLOCKED_UNTIL, 2) end
  end
  for i = 1, #row do row[i] = math.min(row[i], 2 ^ 53 - 1) end
  -- An unchanged row is not written, because a write would extend a bucket's life. Records may have been trimmed even if the row is unchanged.
  if p.algorithm.bind or differ(row, looked) then save(p) end
  return true
end

local policies, reply, code = {}, { serverMs, 0 }, 0

local function run()
  while lastArg < #ARGV do policies[#policies + 1] = readPolicy() end
  local isBlocked = false
  for _, p in ipairs(policies) do
    find(p)
    isBlocked = isBlocked or p.override[BLOCKED_UNTIL] > now
  end
  if verb == 'reset' and units == 0 and isBlocked then return end
  -- If memory is full, Redis refuses only commands before the first write. These change nothing: the first is refused, and the second is such a write,
  -- because the other verbs need no memory for a key that exists.
  local first = policies[1] and policies[1].key
  local exists = first and redis.call('EXISTS', first) == 1
  if verb == 'penalize' then redis.call('SET', first, '', exists and 'NX' or 'XX')
  elseif exists and verb ~= 'block' and verb ~= 'exempt' and verb ~= 'grant' then redis.pcall('PEXPIRE', first, 0, 'GT') end
  for _, p in ipairs(policies) do
    if change(p) then code = 1 end
  end
end

local ok, failure = pcall(run)
if not ok then
  failure = tostring(failure)
  -- On a replica the whole call returns the error, because some clients look for the master only then.
  if failure:find('READONLY', 1, true) == 1 then return redis.error_reply(failure) end
  return { serverMs, failure }
end
local hasOverride = false
for _, p in ipairs(policies) do
  for cell = 1, p.width do reply[#reply + 1] = p.row[cell] end
  for cell = 1, overrideWidth do hasOverride = hasOverride or p.override[cell] > 0 end
end
reply[2] = code + (hasOverride and 2 or 0)
for _, p in ipairs(hasOverride and policies or {}) do
  for cell = 1, overrideWidth do reply[#reply + 1] = p.override[cell] end
end
return reply
`
