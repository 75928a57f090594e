/** Runs one request of any verb, all or nothing, by the same steps as a plan of the memory store. */
export const verbsLua: string = `
local function isExempt(cursor)
  return cursor.block[1] < 0
end

-- Ends a block. An exemption stays.
local function unblock(cursor)
  if not isExempt(cursor) then cursor.block = unblocked end
  removeBlock(cursor, cursor.state, BLOCK)
end

-- Ends an exemption. A block stays.
local function unexempt(cursor)
  if isExempt(cursor) then cursor.block = unblocked end
  removeBlock(cursor, cursor.state, EXEMPTION)
end

-- Removes the rows of all forms, and the records of all algorithms if one of these rows may have one.
local function forget(cursor)
  local state = cursor.state
  local own, hasRecords = partOf(cursor, state), cursor.recordKeyCount > 0
  for i = #state, 1, -1 do
    local part = state[i]
    if isRowOf(part, cursor) then
      if part ~= own then hasRecords = true end
      table.remove(state, i)
      state.changed = true
    end
  end
  if hasRecords then redis.call('DEL', unpack(cursor.recordKeys)) end
  if cursor.steps.forget then
    cursor.steps.forget(cursor.row, cursor.params, request.now)
    save(cursor)
  end
end

local function startBlock(cursor)
  local length, last = cursor.length, cursor.block
  if last[2] > 0 and request.now < last[1] + last[2] then
    length = math.min(cursor.most, math.floor(last[2] * cursor.escalate))
  end
  cursor.block = { request.now + length, length }
  saveBlock(cursor)
end

-- The first request about a bucket saves it, even if that request takes no units.
local function saveInitial(cursor)
  if cursor.isInitial then save(cursor) end
end

local function take(cursor)
  if cursor.cost == 0 then return saveInitial(cursor) end
  assertMemory()
  cursor.steps.take(cursor.row, cursor.params, request.now, cursor.cost)
  save(cursor)
  if cursor.startsOn == 'reached' and not cursor.steps.look(cursor.row, cursor.params, request.now, 1) then
    startBlock(cursor)
  end
end

local function deny(cursor)
  if cursor.fits or cursor.startsOn ~= 'exceeded' or cursor.block[1] > request.now then
    return saveInitial(cursor)
  end
  startBlock(cursor)
  -- Saved again, because a bucket must not expire during a block.
  if cursor.persists then save(cursor) end
end

-- Returns whether a refund removes the block: without the refunded consumption, the limit would not have been reached.
local function isUndone(cursor)
  local began = cursor.block[1] - cursor.block[2]
  local isByLimit = cursor.startsOn == 'reached' and cursor.block[2] > 0
  return isByLimit and cursor.block[1] > request.now and began >= cursor.receipt.now
end

-- Returns whether the key was reset after the decision of this receipt.
local function isForgotten(cursor)
  local reset, receipt = cursor.reset, cursor.receipt
  return reset and (receipt.now < reset[1] or receipt.now == reset[1] and receipt.resets ~= reset[3])
end

-- Returns whether the units of the receipt count no more. Its policy can have a shorter window than that of the row, so it must not drop units from there.
local function isOver(cursor)
  return not cursor.steps.release and request.now >= cursor.algorithm.ends(cursor.receipt.row, cursor.params)
end

local function differ(row, other)
  for i = 1, #row do
    if row[i] ~= other[i] then return true end
  end
  return false
end

-- Runs a verb that does not decide. Returns false if there was nothing to change.
local function change(cursor)
  assertMemory()
  local steps, row, params, now = cursor.steps, cursor.row, cursor.params, request.now
  local looked, verb = { unpack(row) }, request.verb
  if verb == 'block' then
    cursor.block = { now + request.amount, 0 }
    saveBlock(cursor)
    return true
  elseif verb == 'exempt' then
    cursor.block = { -(now + request.amount), 0 }
    saveBlock(cursor)
    return true
  elseif verb == 'unblock' then
    unblock(cursor)
    return true
  elseif verb == 'unexempt' then
    unexempt(cursor)
    return true
  elseif verb == 'release' then
    if not steps.release or not steps.release(row, params, now) then return false end
  elseif verb == 'renew' then
    if not steps.renew or not steps.renew(row, params, now) then return false end
  elseif verb == 'penalize' then
    steps.take(row, params, now, request.amount)
  elseif verb == 'refundUnits' then
    steps.refundUnits(row, params, now, request.amount)
  elseif verb == 'refundReceipt' then
    if isForgotten(cursor) or isOver(cursor) then return true end
    steps.refundReceipt(row, params, now, cursor.cost, cursor.receipt.row, cursor.receipt.now)
    if differ(row, looked) and isUndone(cursor) then unblock(cursor) end
  end
  -- An unchanged row is not written, because a write would extend a bucket's life. Records may have been trimmed even if the row is unchanged.
  if cursor.recordKeyCount > 0 or differ(row, looked) then save(cursor) end
  return true
end

-- Records a reset until the rows of all forms would have expired, so that a refund of an earlier decision does not refund units of a later one.
local function recordReset(cursor)
  local now, last, state = request.now, cursor.reset or { 0, 0, 0 }, cursor.state
  -- Leases need no record: a receipt names its lease, and the reset has removed it.
  local ends = cursor.steps.release and 0 or cursor.algorithm.ends(cursor.row, cursor.params)
  local own = partOf(cursor, state)
  for _, part in ipairs(state) do
    if part ~= own and isRowOf(part, cursor) then ends = math.max(ends, now + lifeOf(part, state)) end
  end
  if ends <= now then return end
  local at, count = now, 1
  if last[1] >= now then at, count = last[1], last[3] + 1 end
  cursor.reset = { at, math.max(ends, last[2]), count }
  saveReset(cursor)
end

local function reset()
  for _, cursor in ipairs(request) do
    if request.amount == 0 and cursor.block[1] > request.now then return 0 end
  end
  assertMemory()
  for _, cursor in ipairs(request) do
    recordReset(cursor)
    forget(cursor)
    unblock(cursor)
  end
  return 1
end

-- Returns 1 if the request is allowed, else 0.
local function decide()
  find()
  checkMemory()
  if request.verb == 'reset' then return reset() end
  local allowed, changed = 1, 0
  for _, cursor in ipairs(request) do
    cursor.fits = cursor.steps.look(cursor.row, cursor.params, request.now, request.decides and cursor.cost or 0)
    if isExempt(cursor) then cursor.fits = true end
    if not cursor.fits or cursor.block[1] > request.now then allowed = 0 end
  end
  if request.verb == 'peek' then return allowed end
  local act = not request.decides and change or allowed == 1 and take or deny
  for _, cursor in ipairs(request) do
    -- A decision about an exempt policy changes nothing.
    local isKept = request.decides and isExempt(cursor)
    if not isKept and act(cursor) then changed = 1 end
  end
  return request.decides and allowed or changed
end
`
