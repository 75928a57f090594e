/** Decides one request, all or nothing, by the same steps as a plan of the memory store. */
export const decisionLua: string = `
local function unblock(cursor)
  cursor.block = unblocked
  local state = cursor.state
  local _, i = partOf(cursor.rule, state, BLOCK)
  if i then
    table.remove(state, i)
    state.changed = true
  end
end

-- Removes the rows of all forms, and the bodies of all algorithms if one of these rows may have one.
local function forget(cursor, template)
  local rule, state = cursor.rule, cursor.state
  local own, hasBodies = partOf(rule, state), rule.bodies > 0
  for i = #state, 1, -1 do
    local part = state[i]
    if isRowOf(part, rule) then
      if part ~= own then hasBodies = true end
      table.remove(state, i)
      state.changed = true
    end
  end
  if hasBodies then redis.call('DEL', unpack(bodiesOf(cursor, MOST_BODIES))) end
  if cursor.steps.forget then
    cursor.steps.forget(cursor.row, rule.params, template.now)
    save(cursor, template)
  end
end

local function startBlock(cursor, template)
  local by, last = cursor.rule.block, cursor.block
  local length = by.length
  if last[2] > 0 and template.now < last[1] + last[2] then
    length = math.min(by.max, math.floor(last[2] * by.escalate))
  end
  cursor.block = { template.now + length, length }
  saveBlock(cursor, template)
end

-- The first request about a bucket saves it, even if that request takes no units.
local function saveInitial(cursor, template)
  if cursor.isInitial then save(cursor, template) end
end

local function take(cursor, template)
  local rule, row = cursor.rule, cursor.row
  if cursor.cost == 0 then return saveInitial(cursor, template) end
  assertMemory(template)
  cursor.steps.take(row, rule.params, template.now, cursor.cost)
  save(cursor, template)
  local block = rule.block
  if block and block.on == 'reached' and not cursor.steps.look(row, rule.params, template.now, 1) then
    startBlock(cursor, template)
  end
end

local function deny(cursor, template)
  local rule, now = cursor.rule, template.now
  if cursor.fits or not rule.block or rule.block.on ~= 'exceeded' or cursor.block[1] > now then
    return saveInitial(cursor, template)
  end
  startBlock(cursor, template)
  -- Saved again, because a bucket must not expire during a block.
  if rule.persists then save(cursor, template) end
end

-- Returns whether a refund removes the block: without the refunded consumption, the limit would not have been reached.
local function isUndone(cursor, now)
  local began = cursor.block[1] - cursor.block[2]
  local isByLimit = cursor.rule.block and cursor.rule.block.on == 'reached' and cursor.block[2] > 0
  return isByLimit and cursor.block[1] > now and began >= cursor.receipt.now
end

-- Returns whether the key was reset after the decision of this receipt.
local function isForgotten(cursor)
  local reset, receipt = cursor.reset, cursor.receipt
  return reset and (receipt.now < reset[1] or receipt.now == reset[1] and (receipt.resets or 0) ~= reset[3])
end

local function differ(row, other)
  for i = 1, #row do
    if row[i] ~= other[i] then return true end
  end
  return false
end

-- Runs a verb that does not decide. Returns false if there was nothing to change.
local function change(cursor, template)
  assertMemory(template)
  local steps, params, now = cursor.steps, cursor.rule.params, template.now
  local looked, verb = { unpack(cursor.row) }, template.verb
  if verb == 'block' then
    cursor.block = { now + template.forMs, 0 }
    saveBlock(cursor, template)
    return true
  elseif verb == 'unblock' then
    unblock(cursor)
    return true
  elseif verb == 'release' then
    if not steps.release or not steps.release(cursor.row, params, now) then return false end
  elseif verb == 'renew' then
    if not steps.renew or not steps.renew(cursor.row, params, now) then return false end
  elseif verb == 'penalize' then
    steps.take(cursor.row, params, now, template.units)
  elseif verb == 'refundUnits' then
    steps.refundUnits(cursor.row, params, now, template.units)
  elseif verb == 'refundReceipt' then
    if isForgotten(cursor) then return true end
    steps.refundReceipt(cursor.row, params, now, cursor.cost, cursor.receipt.row, cursor.receipt.now)
    if differ(cursor.row, looked) and isUndone(cursor, now) then unblock(cursor) end
  end
  -- An unchanged row is not written, because a write would extend a bucket's life. A body may have been trimmed even if the row is unchanged.
  if cursor.bodies or differ(cursor.row, looked) then save(cursor, template) end
  return true
end

-- Records a reset until the rows of all forms would have expired, so that a refund of an earlier decision does not refund units of a later one.
local function recordReset(cursor, template)
  local now, last = template.now, cursor.reset or { 0, 0, 0 }
  local rule, state = cursor.rule, cursor.state
  -- Leases need no record: a receipt names its lease, and the reset has removed it.
  local ends = cursor.steps.release and 0 or rule.steps.ends(cursor.row, rule.params)
  local own = partOf(rule, state)
  for _, part in ipairs(state) do
    if part ~= own and isRowOf(part, rule) then ends = math.max(ends, now + lifeOf(part, state)) end
  end
  if ends <= now then return end
  local at, count = now, 1
  if last[1] >= now then at, count = last[1], last[3] + 1 end
  cursor.reset = { at, math.max(ends, last[2]), count }
  saveReset(cursor, template)
end

local function reset(template)
  for _, cursor in ipairs(template) do
    if not template.unblock and cursor.block[1] > template.now then return 0 end
  end
  assertMemory(template)
  for _, cursor in ipairs(template) do
    recordReset(cursor, template)
    forget(cursor, template)
    unblock(cursor)
  end
  return 1
end

-- Returns 1 if the request is allowed, else 0.
local function decide(template, at)
  find(template, at)
  if template.verb == 'reset' then return reset(template) end
  local now, allowed = template.now, 1
  for i = 1, #template do
    local cursor = template[i]
    cursor.fits = cursor.steps.look(cursor.row, cursor.rule.params, now, template.asks and cursor.cost or 0)
    if not cursor.fits or cursor.block[1] > now then allowed = 0 end
  end
  if template.verb == 'peek' then return allowed end
  local act = not template.asks and change or allowed == 1 and take or deny
  local changed = 0
  for i = 1, #template do
    if act(template[i], template) then changed = 1 end
  end
  return template.asks and allowed or changed
end

-- Appends the answer of a request to the reply.
local function append(reply, size, template, allowed)
  local first, isBlocked, isReset = size + 1, false, false
  size = first
  for i = 1, #template do
    local cursor = template[i]
    local row = cursor.row
    for cell = 1, cursor.rule.width do reply[size + cell] = row[cell] end
    size = size + cursor.rule.width
    if cursor.block[1] > 0 then isBlocked = true end
    if cursor.reset and cursor.reset[1] == template.now then isReset = true end
  end
  reply[first] = allowed + (isBlocked and 2 or 0) + (isReset and 4 or 0)
  if isBlocked then
    for i = 1, #template do reply[size + i] = template[i].block[1] end
    size = size + #template
  end
  if isReset then
    for i = 1, #template do
      local reset = template[i].reset
      reply[size + i] = reset and reset[1] == template.now and reset[3] or 0
    end
    size = size + #template
  end
  return size
end
`
