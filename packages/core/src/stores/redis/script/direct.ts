import { luaOf } from '../../../algorithms/scripts.js'
import {
  cellsOf,
  each,
  headLua,
  list,
  readNamed,
  readUnnamed,
  storedOf,
  writeNamed,
  writeUnnamed,
  type DirectRule,
  type NumberedRule,
} from './direct-state.js'

/** Replaces an answer: the key's state contains more than the rows of these policies, so the general script has to decide. */
export const generalCode = 2

/**
 * Assembles a script for policies whose whole state is a row, and that have no block. It uses the steps of the general script, and reads and writes
 * the same states, but only states that contain the rows of these policies, in this order, and nothing else. `isNamed` says whether the state
 * contains the names of its policies: always, except for a single policy without a name.
 */
export function assembleDirectScript(rules: readonly DirectRule[], isNamed: boolean): string {
  const numbered = rules.map((rule, i) => ({ ...rule, isNamed, number: i + 1 }))
  const steps = numbered.map((rule) => stepsLua(rule, rules))
  const read = isNamed ? readNamed(numbered) : readUnnamed(numbered[0])
  const write = isNamed ? writeNamed(numbered) : writeUnnamed(numbered[0])
  return [header, begin, ...steps, main(numbered, read, write)].join('\n')
}

const header = `
-- Decides consume and peek requests of the same policies, each all or nothing. The general script describes the state of a key.
--
-- KEYS     the state of each key that the requests name, each key once
-- ARGV 1   the server's time after which this call is void, ms
--      2   the time to decide by instead of the server's, or an empty string
--      …   the params of each policy; then, if the state has names, the name of each policy
--      …   nothing, if each key has one request, to consume 1. Else for each key the number of its requests: n, if all of them consume 1;
--          or -n, and after it for each request its cost, or -1 - cost to peek
--
-- Returns  {server ms}      the call came too late, and nothing was done
--          {server ms, …}   flat, for each request in the order of KEYS and ARGV: 0 denied or 1 allowed, and the cells of each policy's row. Or
--                           ${generalCode} alone: the key's state is not the rows of these policies only, and nothing was done.
--                           Or a string, the error of that request alone
--          an error         this is a replica, and nothing was done
`

const begin = `
-- Locals, because Lua looks up a global by its name on each use.
local KEYS, ARGV, tonumber, type = KEYS, ARGV, tonumber, type

local serverTime = redis.call('TIME')
local serverMs = serverTime[1] * 1000 + math.floor(serverTime[2] / 1000)
if serverMs > tonumber(ARGV[1]) then return { serverMs } end

-- The margin of the general script, as an offset to the server's time.
local now, later = serverMs, 1000
if ARGV[2] ~= '' then
  now = tonumber(ARGV[2])
  later = serverMs - now + 86400000
end
`

/** Declares the steps, params and row of a rule. */
function stepsLua(
  { steps, number, moments, counts, views, params }: NumberedRule,
  rules: readonly DirectRule[],
): string {
  const first = rules.findIndex((other) => other.steps.id === steps.id) + 1
  const before = rules.slice(0, number - 1).reduce((sum, rule) => sum + rule.params, 2)
  return `
local steps${number} = ${first < number ? `steps${first}` : luaOf(steps.id)}
local look${number}, take${number}, ends${number} = steps${number}.look, steps${number}.take, steps${number}.ends
local params${number} = { ${list(params, (i) => `tonumber(ARGV[${before + i}])`)} }
local row${number} = { ${list(moments + counts + views, () => '0')} }`
}

function main(rules: readonly NumberedRule[], read: string, write: string): string {
  const params = rules.reduce((sum, rule) => sum + rule.params, 2)
  const names = rules.filter(({ isNamed }) => isNamed)
  const cells = rules.flatMap((rule) => cellsOf(rule, widthOf(rule)))
  const views = rules.flatMap((rule) => cellsOf(rule, widthOf(rule)).slice(storedOf(rule)))
  return `
${each(names, (rule) => headLua(rule, params + rule.number))}
local redisCall, readCells, writeCells = redis.pcall, struct.unpack, struct.pack
local byte, sub, format, max = string.byte, string.sub, string.format, math.max
local nextArg = ${params + names.length + 1}
local isListed = #ARGV >= nextArg
local reply, size = { serverMs }, 1
local expires, expiresText

for key = 1, #KEYS do
  local count, costsAt = 1, nil
  if isListed then
    count, nextArg = tonumber(ARGV[nextArg]), nextArg + 1
    if count < 0 then
      count, costsAt = -count, nextArg
      nextArg = nextArg + count
    end
  end

  local isPlain, failure = true, nil
  local packed = redisCall('GET', KEYS[key])
  if not packed then
    ${each(rules, (rule) => assign(cellsOf(rule, storedOf(rule)), '0'))}
  elseif type(packed) == 'table' then
    failure = packed.err
  else
    ${read}
  end

  -- A second look at the same time leaves the row unchanged, so a request that takes no units does not affect the next one.
  local first, isTaken = size, false
  for i = 1, isPlain and not failure and count or 0 do
    local cost, isPeek = 1, false
    if costsAt then
      cost = tonumber(ARGV[costsAt + i - 1])
      if cost < 0 then cost, isPeek = -1 - cost, true end
    end
    ${views.length > 0 ? assign(views, '0') : ''}
    local fits = look1(row1, params1, now, cost)
    ${each(rules.slice(1), ({ number: n }) => `fits = look${n}(row${n}, params${n}, now, cost) and fits`)}
    if fits and cost > 0 and not isPeek then
      ${each(rules, ({ number: n }) => `take${n}(row${n}, params${n}, now, cost)`)}
      isTaken = true
    end
    reply[size + 1] = fits and 1 or 0
    ${each(cells, (cell, i) => `reply[size + ${i + 2}] = ${cell}`)}
    size = size + ${cells.length + 1}
  end

  if isTaken then
    ${each(rules, ({ number: n }) => `local end${n} = ends${n}(row${n}, params${n})`)}
    if ${rules.map(({ number: n }) => `end${n} <= now`).join(' or ')} then
      isPlain = false
    else
      ${write}
      local at = ${latest(rules)} + later
      -- As a string, because Redis formats numbers with all the digits of a fraction.
      if at ~= expires then expires, expiresText = at, format('%d', at) end
      failure = redisCall('SET', KEYS[key], value, 'PXAT', expiresText).err
    end
  end

  if failure or not isPlain then
    -- On a replica the whole call returns the error, because some clients look for the master only then.
    if failure and failure:find('READONLY', 1, true) == 1 then return redis.error_reply(failure) end
    for i = first + 1, size do reply[i] = nil end
    for i = 1, count do reply[first + i] = failure or ${generalCode} end
    size = first + count
  end
end

return reply
`
}

function widthOf(rule: DirectRule): number {
  return storedOf(rule) + rule.views
}

function assign(cells: readonly string[], value: string): string {
  return `${cells.join(', ')} = ${cells.map(() => value).join(', ')}`
}

function latest(rules: readonly NumberedRule[]): string {
  const ends = rules.map(({ number }) => `end${number}`)
  return ends.length === 1 ? ends[0] : `max(${ends.join(', ')})`
}
