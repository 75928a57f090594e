/** How one request is decided, all or nothing. Its twin is the driver of the memory store. */
export const decisionLua: string = `
local serverTime = redis.call('TIME')
local serverMs = serverTime[1] * 1000 + math.floor(serverTime[2] / 1000)

-- Each key's state is read once and written once, whatever the number of requests that touch it.
local states, none = {}, {}

local function stateOf(key)
  local state = states[key]
  if not state then
    state = parse(redis.call('GET', KEYS[key]))
    states[key] = state
  end
  return state
end

local function entryOf(rule, state, isBlock)
  for i = 1, #state do
    local entry = state[i]
    if entry.name == rule.name and (entry.id == BLOCK) == isBlock then return entry, i end
  end
end

-- A copy: a denied request leaves the state as it was.
local function rowOf(rule, state)
  local entry = entryOf(rule, state, false)
  local kept = entry and cellsOf(entry, rule.id, rule.moments, rule.counts)
  local row = {}
  for i = 1, rule.width do row[i] = kept and kept[i] or 0 end
  return row
end

local function blockOf(rule, state)
  local entry = entryOf(rule, state, true)
  return entry and cellsOf(entry, BLOCK, 1, 1) or { 0, 0 }
end

local function put(rule, state, isBlock, row, left, margin, bodies)
  local entry = entryOf(rule, state, isBlock)
  if not entry then
    entry = { name = rule.name }
    state[#state + 1] = entry
  end
  entry.id = isBlock and BLOCK or rule.id
  entry.moments = isBlock and 1 or rule.moments
  entry.counts = isBlock and 1 or rule.counts
  entry.row, entry.left, entry.margin, entry.bodies = row, left, margin, bodies
  state.changed = true
end

local function forget(rule, state, isBlock)
  local _, i = entryOf(rule, state, isBlock)
  if i then
    table.remove(state, i)
    state.changed = true
  end
end

local function save(work, request)
  local ends = work.rule.steps.ends(work.row, work.rule.params)
  put(work.rule, work.state, false, work.row, ends - request.now, request.margin, work.bodies)
end

local function saveBlock(work, request)
  put(work.rule, work.state, true, work.block, work.block[1] + work.block[2] - request.now, request.margin)
end

local function unblock(work)
  work.block = { 0, 0 }
  forget(work.rule, work.state, true)
end

local function begin(work, request)
  local rule, block = work.rule, work.block
  local length, factor, greatest = rule.block[1], rule.block[2], rule.block[3]
  if block[2] > 0 and request.now < block[1] + block[2] then
    length = math.min(greatest, math.floor(block[2] * factor))
  end
  work.block = { request.now + length, length }
  saveBlock(work, request)
end

-- A bucket is born when it is first asked for, even by a request that takes nothing.
local function bear(work, request)
  if work.unborn then save(work, request) end
end

local function take(work, request)
  local rule, row = work.rule, work.row
  if request.cost == 0 then return bear(work, request) end
  work.steps.take(row, rule.params, request.now, request.cost)
  save(work, request)
  if rule.blockOn == 'reached' and not work.steps.look(row, rule.params, request.now, 1) then
    begin(work, request)
  end
end

local function deny(work, request)
  local rule = work.rule
  bear(work, request)
  if rule.blockOn == 'exceeded' and work.possible and not work.fits and work.block[1] <= request.now then
    begin(work, request)
  end
end

-- Whether a block goes with a consumption that is given back: without it the limit would not have been reached.
local function isUndone(work, now)
  local began = work.block[1] - work.block[2]
  local isByLimit = work.rule.blockOn == 'reached' and work.block[2] > 0
  return isByLimit and work.block[1] > now and began >= work.receiptNow
end

local function differ(row, other)
  for i = 1, #row do
    if row[i] ~= other[i] then return true end
  end
  return false
end

-- The verbs that ask nobody. False where there was nothing to change.
local function change(work, request)
  local steps, params, now, cost = work.steps, work.rule.params, request.now, request.cost
  local looked = { unpack(work.row) }
  if request.verb == 'block' then
    work.block = { now + cost, 0 }
    saveBlock(work, request)
    return true
  elseif request.verb == 'unblock' then
    unblock(work)
    return true
  elseif request.verb == 'release' then
    if not steps.release or not steps.release(work.row, params, now) then return false end
  elseif request.verb == 'renew' then
    if not steps.renew or not steps.renew(work.row, params, now) then return false end
  elseif request.verb == 'penalize' then
    steps.take(work.row, params, now, cost)
  elseif request.verb == 'forgive' then
    steps.forgive(work.row, params, now, cost)
  elseif request.verb == 'give' then
    steps.give(work.row, params, now, cost, work.receipt)
    if differ(work.row, looked) and isUndone(work, now) then unblock(work) end
  end
  -- What gives or takes nothing writes nothing, or a bucket would be remembered for longer. A body may have been trimmed all the same.
  if work.bodies or differ(work.row, looked) then save(work, request) end
  return true
end

local function reset(works, request)
  for _, work in ipairs(works) do
    if request.cost == 0 and work.block[1] > request.now then return 0 end
  end
  for _, work in ipairs(works) do
    if work.steps.forget then
      work.steps.forget(work.row, work.rule.params, request.now)
      save(work, request)
    else
      forget(work.rule, work.state, false)
      for _, body in ipairs(work.bodies or none) do redis.call('DEL', body) end
    end
    unblock(work)
  end
  return 1
end

local function run(works, request)
  if request.verb == 'reset' then return reset(works, request) end
  local asks = request.verb == 'consume' or request.verb == 'peek'
  local allowed = 1
  for i = 1, #works do
    local work = works[i]
    work.fits = work.steps.look(work.row, work.rule.params, request.now, asks and request.cost or 0)
    if not work.fits or work.block[1] > request.now then allowed = 0 end
  end
  if request.verb == 'peek' then return allowed end
  local act = not asks and change or allowed == 1 and take or deny
  local changed = 0
  for i = 1, #works do
    if act(works[i], request) then changed = 1 end
  end
  return asks and allowed or changed
end

local function decide(request)
  for i = 1, #request do
    local work = request[i]
    work.state = stateOf(work.key)
    work.row = rowOf(work.rule, work.state)
    work.unborn = work.rule.bornDenied and work.rule.steps.ends(work.row, work.rule.params) <= request.now
    work.block = blockOf(work.rule, work.state)
    work.steps = work.bodies and work.rule.steps.over(work.bodies, request.lease) or work.rule.steps
  end
  local answer, size = { run(request, request) }, 1
  for i = 1, #request do
    local work = request[i]
    local width = work.rule.width
    for cell = 1, width do answer[size + cell] = work.row[cell] end
    size = size + width + 1
    answer[size] = work.block[1]
  end
  return answer
end

-- Rows that this call has not written stay as they are, and keep the state alive as long as it was to live.
local function write(key, state)
  local kept, lives = {}, 0
  for i = 1, #state do
    local entry = state[i]
    if not entry.row then
      lives = math.max(lives, redis.call('PTTL', KEYS[key]))
      kept[#kept + 1] = entry
    else
      local ends = entry.left > 0
      if ends then
        lives = math.max(lives, entry.left + entry.margin)
        pack(entry)
        kept[#kept + 1] = entry
      end
      for _, body in ipairs(entry.bodies or none) do
        if ends then
          redis.call('PEXPIRE', body, entry.left + entry.margin)
        else
          redis.call('DEL', body)
        end
      end
    end
  end
  if #kept == 0 then
    redis.call('DEL', KEYS[key])
  else
    redis.call('SET', KEYS[key], join(kept), 'PX', lives)
  end
end
`
