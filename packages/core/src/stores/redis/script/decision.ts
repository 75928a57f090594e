import { overrideWidth } from '../../override.js'
import { policyTexts, type PolicyShape, type PolicyTexts } from './policy.js'

/** All that decides the text of a script. */
export interface DecisionShape {
  readonly policies: readonly PolicyShape[]
  /** Whether a request has a cost for each policy. */
  readonly hasCosts: boolean
}

/** The script that decides consume and peek requests of one list of policies. It repeats a text for each policy, with its cells in variables. */
export function decisionScript({ policies, hasCosts }: DecisionShape): string {
  const { parts, nextArg, width, keysWidth } = policyTexts(policies, hasCosts)
  const keys = [...new Set(policies.map(({ key }) => key))].sort((a, b) => a - b)
  function byKey(text: (parts: readonly PolicyTexts[]) => string): string {
    return keys.map((key) => text(parts.filter((part) => part.key === key))).join('\n')
  }
  const names = keys.map((key) => `key${key}`).join(', ')
  const found = keys.map((key) => `KEYS[at + ${key}]`)
  const hasRecords = policies.some(({ recordKeyCount }) => recordKeyCount > 0)
  const counts = parts.map(({ counted }) => counted).join(' or ')
  const overridden = parts.map(({ overridden }) => overridden).join(' or ')
  return `${header}
local all = {}
${parts.map(({ declare }) => declare).join('\n')}
${hasCosts ? '' : 'local cost = 1'}
-- Of the size that one answer has, because a table that grows is copied.
local reply = { serverMs, ${Array.from({ length: Math.min(width, 40) }, () => '0').join(', ')} }
local size, at, nextArg, isPeek = 1, 0, ${nextArg}, false
local isListed = #ARGV >= nextArg

while at < #KEYS do
  local ${names} = ${found.join(', ')}
  local first, failure, lease = size, nil, nil
  if isTimed then
    now, margin, nextArg = ARGV[nextArg], 86400000, nextArg + 1
    if now == '' then now, margin = serverMs, 1000 else now = now + 0 end
    ${parts.map(({ date }) => date).join('\n')}
  end
  ${byKey(read)}
  -- Requests of the same keys follow each other on the cells that were read, and are written together.
  local count = 0
  repeat
    if isListed then
      ${
        hasCosts
          ? `isPeek, nextArg = ARGV[nextArg] == '1', nextArg + 1
      ${parts.map(({ ask }) => ask).join('\n')}`
          : `isPeek, cost, nextArg = false, ARGV[nextArg] + 0, nextArg + 1
      if cost < 0 then isPeek, cost = true, -1 - cost end`
      }
      ${policies.some(({ hasLeases }) => hasLeases) ? 'lease, nextArg = { id = ARGV[nextArg], owner = ARGV[nextArg + 1] }, nextArg + 2' : ''}
    end
    ${parts.map(({ bind }) => bind).join('\n')}
    at, count = at + ${keysWidth}, count + 1
    ${parts.map(({ look }) => look).join('\n')}
    local allowed = ${parts.map(({ fits }) => fits).join(' and ')}
    if ${overridden} then allowed = ${parts.map(({ allows }) => allows).join(' and ')} end
    ${hasRecords ? assertMemory(counts) : ''}
    if not isPeek and not failure then
      if allowed then
        ${parts.map(({ take }) => take).join('\n')}
      else
        ${parts.map(({ deny }) => deny).join('\n')}
      end
    end
    reply[size + 1] = allowed and 1 or 0
    ${parts.map(({ answer }) => answer).join('\n')}
    if ${overridden} then
      reply[size + 1] = reply[size + 1] + 2
      ${parts.map(({ answerOverride }) => answerOverride).join('\n')}
      size = size + ${overrideWidth * parts.length}
    end
    size = size + ${width}
  until failure or isTimed or not (${hasRecords ? 'false' : found.map((key, i) => `${key} == key${keys[i]}`).join(' and ')})
  ${byKey(write)}
  if failure then
    -- On a replica the whole call returns the error, because some clients look for the master only then.
    if failure:find('READONLY', 1, true) == 1 then return redis.error_reply(failure) end
    for i = 1, count do reply[first + i] = failure end
    size = first + count
  end
end
for i = #reply, size + 1, -1 do reply[i] = nil end
return reply`
}

function read(parts: readonly PolicyTexts[]): string {
  const [{ key }] = parts
  return `local values = call('HMGET', key${key}, ${parts.map(({ fields }) => fields).join(', ')})
  failure = failure or values.err
  local isKnown${key} = false
  ${parts.map(({ readAt }, i) => readAt(2 * i + 1)).join('\n')}`
}

/** If memory is full, Redis refuses commands only before the first write. The records may begin with a deletion, so a command that changes nothing comes first. */
function assertMemory(counts: string): string {
  return `if allowed and not isPeek and not failure and (${counts}) then
      local full = call('SET', key1, '', (isKnown1 or call('EXISTS', key1) == 1) and 'NX' or 'XX')
      if type(full) == 'table' then failure = full.err end
    end`
}

function write(parts: readonly PolicyTexts[]): string {
  const [{ key }] = parts
  const all = parts.map(({ saved }) => saved).join(' and ')
  return `if not failure and (${parts.map(({ changed }) => changed).join(' or ')}) then
    local ends, written = now, nil
    ${parts.map(({ end }) => end).join('\n')}
    if ${all} then written = call('HSET', key${key}, ${parts.map(({ row }) => row).join(', ')})
    else
      ${parts.map(({ saved, row }) => `if ${saved} then written = call('HSET', key${key}, ${row}) end`).join('\n')}
    end
    ${parts.map(({ writeBlock }) => writeBlock).join('\n')}
    if type(written) == 'table' then failure = written.err
    else
      -- To the second, so that most requests of a busy key leave its time to live as it is. It is never shortened. The slack is for the two clocks of Redis.
      local life, left = (math.floor(ends / 1000) + 1) * 1000 - now + margin, call('PTTL', key${key})
      if type(left) ~= 'number' or left < life - 10 then call('PEXPIRE', key${key}, text('%d', life)) end
      ${parts.map(({ keepRecords }) => keepRecords).join('\n')}
    end
  end`
}

const header = `
-- Decides consume and peek requests of the same policies, each all or nothing.
--
-- KEYS     for each request the hashes of its keys, and the keys of its records
-- ARGV 1   the server's time after which this call is void, ms
--      2   an empty string if the server's time decides, else 'timed'
--      …   for each policy the fields of its row and of its block or exemption, its params, and the length, factor and longest length of its blocks
--      …   nothing, if all requests consume 1 by the server's time. Else for each request: if timed, its time or an empty string, and the params that
--          depend on it; its cost, or -1 - cost to peek; or 0, or 1 to peek, and the cost of each policy; the id and owner of its lease
--
-- A hash has a field with the cells of each policy, its times in 6 bytes and its counts in 4 or 7, and a field with its override: the end and the length of
-- its block, and the end of its exemption, in 6 bytes each.
--
-- Returns  {server ms}      the call came too late, and nothing was done
--          {server ms, …}   flat, for each request: 0 denied or 1 allowed, plus 2 if one of its policies has an override; the cells of each policy;
--                           with the 2, the override of each policy, all zeros for none. Or a string, its error
--          an error         this is a replica, and nothing was done
local KEYS, ARGV, math, unpack, text = KEYS, ARGV, math, unpack, string.format
local call, pack, cells = redis.pcall, struct.pack, struct.unpack
local time = call('TIME')
local serverMs = time[1] * 1000 + math.floor(time[2] / 1000)
if serverMs > ARGV[1] + 0 then return { serverMs } end

-- A state is kept for a second after it expires, so that it still exists if the clock steps back by less than that. With an injected clock,
-- which may run slower than the server's, it is kept for a day.
local now, margin, isTimed = serverMs, 1000, ARGV[2] ~= ''
`
