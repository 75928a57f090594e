/** Decides which requests may write if Redis has no memory left. */
export const memoryLua: string = `
-- If memory is full, Redis refuses commands that may use more, but only until the script's first write. A script that begins with a DEL could
-- then exceed the limit. So such a call first sends a SET that changes nothing: NX if the key exists, else XX.
local function memoryError()
  if not KEYS[1] then return false end
  local reply = redis.pcall('SET', KEYS[1], '', redis.call('EXISTS', KEYS[1]) == 1 and 'NX' or 'XX')
  local err = type(reply) == 'table' and reply.err
  return err and err:find('OOM', 1, true) == 1 and err
end

-- These verbs use no more memory, unless they write a new key. A consumption, a penalty or a block may use more.
local freeing = { refundReceipt = true, refundUnits = true, release = true, renew = true, reset = true, unblock = true }

-- The error with which Redis refuses to use more memory: false if it does not refuse, nil before the check.
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

-- Called before a template writes. A template that frees memory first sends a PEXPIRE that changes nothing, because Redis refuses no command
-- after the first write.
local hasWritten = false
local function assertMemory(template)
  if not full then return end
  if not template.frees then error(full, 0) end
  if not hasWritten then redis.call('PEXPIRE', KEYS[1], 0, 'GT') end
  hasWritten = true
end
`
