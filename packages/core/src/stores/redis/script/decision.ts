/** How one request is decided, all or nothing. Its twin is the driver of the memory store. */
export const decisionLua: string = `
local function forget(rule, state, id)
  local _, i = entryOf(rule, state, id)
  if i then
    table.remove(state, i)
    state.changed = true
  end
end

local function unblock(work)
  work.block = unblocked
  forget(work.rule, work.state, BLOCK)
end

local function begin(work, question)
  local by, last = work.rule.block, work.block
  local length = by.length
  if last[2] > 0 and question.now < last[1] + last[2] then
    length = math.min(by.max, math.floor(last[2] * by.escalate))
  end
  work.block = { question.now + length, length }
  saveBlock(work, question)
end

-- A bucket is born when it is first asked for, even by a request that takes nothing.
local function bear(work, question)
  if work.unborn then save(work, question) end
end

local function take(work, question)
  local rule, row = work.rule, work.row
  if question.cost == 0 then return bear(work, question) end
  assertMemory(question)
  work.steps.take(row, rule.params, question.now, question.cost)
  save(work, question)
  local block = rule.block
  if block and block.on == 'reached' and not work.steps.look(row, rule.params, question.now, 1) then
    begin(work, question)
  end
end

local function deny(work, question)
  local block = work.rule.block
  bear(work, question)
  if block and block.on == 'exceeded' and work.possible and not work.fits and work.block[1] <= question.now then
    begin(work, question)
  end
end

-- Whether a block goes with a consumption that is given back: without it the limit would not have been reached.
local function isUndone(work, now)
  local began = work.block[1] - work.block[2]
  local isByLimit = work.rule.block and work.rule.block.on == 'reached' and work.block[2] > 0
  return isByLimit and work.block[1] > now and began >= work.receipt.now
end

-- Whether the key was reset after the decision of this receipt.
local function isForgotten(work)
  local reset, receipt = work.reset, work.receipt
  return reset and (receipt.now < reset[1] or receipt.now == reset[1] and (receipt.resets or 0) ~= reset[3])
end

local function differ(row, other)
  for i = 1, #row do
    if row[i] ~= other[i] then return true end
  end
  return false
end

-- The verbs that ask nobody. False where there was nothing to change.
local function change(work, question)
  assertMemory(question)
  local steps, params, now, cost = work.steps, work.rule.params, question.now, question.cost
  local looked, verb = { unpack(work.row) }, question.verb
  if verb == 'block' then
    work.block = { now + cost, 0 }
    saveBlock(work, question)
    return true
  elseif verb == 'unblock' then
    unblock(work)
    return true
  elseif verb == 'release' then
    if not steps.release or not steps.release(work.row, params, now) then return false end
  elseif verb == 'renew' then
    if not steps.renew or not steps.renew(work.row, params, now) then return false end
  elseif verb == 'penalize' then
    steps.take(work.row, params, now, cost)
  elseif verb == 'forgive' then
    steps.forgive(work.row, params, now, cost)
  elseif verb == 'give' then
    if isForgotten(work) then return true end
    steps.give(work.row, params, now, cost, work.receipt.row, work.receipt.now)
    if differ(work.row, looked) and isUndone(work, now) then unblock(work) end
  end
  -- What gives or takes nothing writes nothing, or a bucket would be remembered for longer. A body may have been trimmed all the same.
  if work.bodies or differ(work.row, looked) then save(work, question) end
  return true
end

-- Records a reset until the row would have ended, so that a refund of an earlier decision takes no unit of a later one.
local function recordReset(work, question)
  local now, last = question.now, work.reset or { 0, 0, 0 }
  local ends = work.rule.steps.ends(work.row, work.rule.params)
  -- A receipt of a lease names that lease, and the reset has ended it.
  if ends <= now or work.steps.release then return end
  local at, count = now, 1
  if last[1] >= now then at, count = last[1], last[3] + 1 end
  work.reset = { at, math.max(ends, last[2]), count }
  saveReset(work, question)
end

local function reset(question)
  for _, work in ipairs(question) do
    if question.cost == 0 and work.block[1] > question.now then return 0 end
  end
  assertMemory(question)
  for _, work in ipairs(question) do
    recordReset(work, question)
    if work.steps.forget then
      work.steps.forget(work.row, work.rule.params, question.now)
      save(work, question)
    else
      forget(work.rule, work.state)
      for _, body in ipairs(work.bodies or none) do redis.call('DEL', body) end
    end
    unblock(work)
  end
  return 1
end

-- Answers whether it is allowed, by 1 or 0.
local function decide(question, at)
  find(question, at)
  if question.verb == 'reset' then return reset(question) end
  local now, asked, allowed = question.now, question.asks and question.cost or 0, 1
  for i = 1, #question do
    local work = question[i]
    work.fits = work.steps.look(work.row, work.rule.params, now, asked)
    if not work.fits or work.block[1] > now then allowed = 0 end
  end
  if question.verb == 'peek' then return allowed end
  local act = not question.asks and change or allowed == 1 and take or deny
  local changed = 0
  for i = 1, #question do
    if act(question[i], question) then changed = 1 end
  end
  return question.asks and allowed or changed
end

-- Adds the answer of a request to the reply.
local function append(reply, size, question, allowed)
  local first, isBlocked, isReset = size + 1, false, false
  size = first
  for i = 1, #question do
    local work = question[i]
    local row = work.row
    for cell = 1, work.rule.width do reply[size + cell] = row[cell] end
    size = size + work.rule.width
    if work.block[1] > 0 then isBlocked = true end
    if work.reset and work.reset[1] == question.now then isReset = true end
  end
  reply[first] = allowed + (isBlocked and 2 or 0) + (isReset and 4 or 0)
  if isBlocked then
    for i = 1, #question do reply[size + i] = question[i].block[1] end
    size = size + #question
  end
  if isReset then
    for i = 1, #question do
      local reset = question[i].reset
      reply[size + i] = reset and reset[1] == question.now and reset[3] or 0
    end
    size = size + #question
  end
  return size
end
`
