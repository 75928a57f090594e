/** What a call may write when Redis has no memory left. */
export const memoryLua: string = `
-- When memory is full, Redis refuses the commands that may use more, but only until the script's first write. A script that begins with a DEL
-- can go on beyond the limit. So a call that may begin like that first sends a SET that changes nothing: NX if the key exists, else XX.
local function memoryError()
  if not KEYS[1] then return false end
  local reply = redis.pcall('SET', KEYS[1], '', redis.call('EXISTS', KEYS[1]) == 1 and 'NX' or 'XX')
  local err = type(reply) == 'table' and reply.err
  return err and err:find('OOM', 1, true) == 1 and err
end

-- These use no more memory, unless they write a key that is new. A consumption, a penalty or a block may.
local freeing = { refundReceipt = true, refundUnits = true, release = true, renew = true, reset = true, unblock = true }

-- The error by which Redis refuses to use more memory: false if it does not, nil before the call has found out.
local full

-- Called for each template before anything is written.
local function checkMemory(template)
  template.frees = freeing[template.verb]
  if full ~= nil or template.verb == 'peek' then return end
  local isAsked = template.frees
  for i = 1, #template do
    if template[i].rule.bodies > 0 then isAsked = true end
  end
  if isAsked then full = memoryError() end
end

-- Called before a template writes. A PEXPIRE that changes nothing is the first write of a template that frees memory: after it Redis
-- refuses none of the others.
local hasWritten = false
local function assertMemory(template)
  if not full then return end
  if not template.frees then error(full, 0) end
  if not hasWritten then redis.call('PEXPIRE', KEYS[1], 0, 'GT') end
  hasWritten = true
end
`
