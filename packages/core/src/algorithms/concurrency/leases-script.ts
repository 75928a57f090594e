import { ranksPerMs } from './leases.js'

/** The leases of one key in Redis: the functions of `leases.ts` over three Redis keys. */
export const leasesLua = (): string => `
  -- keys: 1 holders, a sorted set: 'l' and the id of a lease, or 'o' and an owner; the score is the rank of the last grant
  --       2 grants of owners, a sorted set in the order of its members: the owner's length and the owner, the rank, the id
  --       3 facts, a hash: 'u' and a holder: its units, if they are not 1; 'g' and the id of an owner's lease: its rank and the owner
  local RANKS = ${ranksPerMs}
  local call = redis.call

  -- The smallest rank of a grant that has not ended.
  local function rankAfter(now)
    return (now + 1) * RANKS
  end

  local function endOf(rank)
    return math.floor(rank / RANKS)
  end

  local function nameOf(lease)
    return lease.owner == lease.id and 'l' .. lease.id or 'o' .. lease.owner
  end

  local function prefixOf(owner)
    return struct.pack('>I4', #owner) .. owner
  end

  local function memberOf(owner, rank, id)
    return prefixOf(owner) .. struct.pack('>I7', rank) .. id
  end

  -- Most keys only have leases of one unit without an owner, which need no facts.
  local function isPlain(leases)
    if leases.plain == nil then leases.plain = call('EXISTS', leases.facts) == 0 end
    return leases.plain
  end

  local function factOf(leases, field)
    return not isPlain(leases) and call('HGET', leases.facts, field)
  end

  local function put(leases, field, fact)
    leases.plain = false
    call('HSET', leases.facts, field, fact)
  end

  local function unitsAt(leases, name)
    return tonumber(factOf(leases, 'u' .. name) or 1)
  end

  -- Removes the grants of an owner whose packed ranks are below a text.
  local function clearGrants(leases, owner, till)
    local prefix = prefixOf(owner)
    while true do
      local members = call('ZRANGEBYLEX', leases.grants, '[' .. prefix, '(' .. prefix .. till, 'LIMIT', 0, 1000)
      if #members == 0 then return end
      for _, member in ipairs(members) do
        call('ZREM', leases.grants, member)
        call('HDEL', leases.facts, 'g' .. member:sub(#prefix + 8))
      end
    end
  end

  local function drop(leases, name)
    local units = unitsAt(leases, name)
    leases.first, leases.last = nil, nil
    call('ZREM', leases.holders, name)
    if isPlain(leases) then return units end
    call('HDEL', leases.facts, 'u' .. name)
    if name:sub(1, 1) == 'o' then clearGrants(leases, name:sub(2), '\\255') end
    return units
  end

  -- The units of the holders at the indexes first to last, with their names and ranks. Only a few at a time, because the stack of Lua is small.
  local function unitsFrom(leases, first, last)
    local found, fields = call('ZRANGE', leases.holders, first, last, 'WITHSCORES'), {}
    for i = 1, #found, 2 do fields[#fields + 1] = 'u' .. found[i] end
    local units = (isPlain(leases) or #fields == 0) and {} or call('HMGET', leases.facts, unpack(fields))
    for i = 1, #fields do units[i] = tonumber(units[i] or 1) end
    return units, found
  end

  -- Also stores the number of ended holders, and the smallest rank if there is none: the first holder in the order ends first.
  local function live(leases, held, now)
    leases.ended = 0
    leases.first = tonumber(call('ZRANGE', leases.holders, 0, 0, 'WITHSCORES')[2])
    if not leases.first then return 0 end
    if leases.first >= rankAfter(now) then return held end
    leases.first = nil
    leases.ended = call('ZCOUNT', leases.holders, '-inf', rankAfter(now) - 1)
    local left = call('ZCARD', leases.holders) - leases.ended
    if left == 0 or isPlain(leases) then return left end
    for at = 0, leases.ended - 1, 500 do
      for _, units in ipairs(unitsFrom(leases, at, math.min(at + 499, leases.ended - 1))) do held = held - units end
    end
    return held
  end

  local function unitsOf(leases, name, now)
    local rank = call('ZSCORE', leases.holders, name)
    return rank and tonumber(rank) >= rankAfter(now) and unitsAt(leases, name) or 0
  end

  local function lastEnd(leases)
    leases.last = leases.last or tonumber(call('ZREVRANGE', leases.holders, 0, 0, 'WITHSCORES')[2] or 0)
    return endOf(leases.last)
  end

  local function freeAt(leases, units, now, except)
    if units == 1 and except == '' and leases.first then return endOf(leases.first) end
    local at, most = leases.ended, 8
    -- If each holder has one unit, the index of a holder is the number of units before it.
    if isPlain(leases) and except == '' then at, units, most = at + units - 1, 1, 1 end
    while true do
      local counts, found = unitsFrom(leases, at, at + most - 1)
      if #counts == 0 then return lastEnd(leases) end
      for i = 1, #counts do
        if found[2 * i - 1] ~= except then units = units - counts[i] end
        if units <= 0 then return endOf(tonumber(found[2 * i])) end
      end
      at, most = at + most, math.min(2 * most, 500)
    end
  end

  local function clear(leases, now)
    local ended = leases.ended
    leases.ended = 0
    if ended == 0 then return end
    leases.first, leases.last = nil, nil
    if isPlain(leases) then
      call('ZREMRANGEBYRANK', leases.holders, 0, ended - 1)
    else
      for _, name in ipairs(call('ZRANGE', leases.holders, 0, ended - 1)) do drop(leases, name) end
    end
  end

  local function empty(leases)
    call('UNLINK', leases.holders, leases.grants, leases.facts)
    leases.plain, leases.ended, leases.first, leases.last = true, 0, nil, nil
  end

  -- Changes the score of an owner to the rank of its last grant.
  local function insertByLastGrant(leases, owner)
    local prefix = prefixOf(owner)
    local last = call('ZREVRANGEBYLEX', leases.grants, '(' .. prefix .. '\\255', '[' .. prefix, 'LIMIT', 0, 1)[1]
    local rank = last and struct.unpack('>I7', last, #prefix + 1) or 0
    return rank, rank > 0 and call('ZADD', leases.holders, rank, 'o' .. owner)
  end

  local function grantOf(leases, id, now)
    local rank, owner = call('ZSCORE', leases.holders, 'l' .. id), nil
    if not rank then
      local fact = factOf(leases, 'g' .. id)
      if not fact then return end
      rank, owner = struct.unpack('>I7', fact), fact:sub(8)
    end
    rank = tonumber(rank)
    return rank >= rankAfter(now) and { id = id, owner = owner, rank = rank } or nil
  end

  local function move(leases, granted, rank)
    local id, owner = granted.id, granted.owner
    leases.first, leases.last = nil, nil
    if not owner then
      call('ZADD', leases.holders, rank, 'l' .. id)
      return
    end
    call('ZREM', leases.grants, memberOf(owner, granted.rank, id))
    call('ZADD', leases.grants, 0, memberOf(owner, rank, id))
    put(leases, 'g' .. id, struct.pack('>I7', rank) .. owner)
    insertByLastGrant(leases, owner)
  end

  local function grant(leases, lease, cost, rank, now)
    local name = nameOf(lease)
    local had = unitsOf(leases, name, now)
    local units = math.max(had, cost)
    if units > math.max(had, 1) then put(leases, 'u' .. name, units) end
    local granted = { id = lease.id, rank = rank }
    if name:sub(1, 1) == 'o' then
      granted = grantOf(leases, lease.id, now) or granted
      granted.owner = lease.owner
      clearGrants(leases, lease.owner, struct.pack('>I7', rankAfter(now)))
    end
    local first, last = leases.first, leases.last
    move(leases, granted, rank)
    -- The ranks of all other holders are unchanged.
    if had == 0 and first then leases.first, leases.last = math.min(first, rank), last and math.max(last, rank) end
    return units - had
  end

  local function finish(leases, granted, now)
    local id, owner = granted.id, granted.owner
    if not owner then return drop(leases, 'l' .. id) end
    leases.first, leases.last = nil, nil
    call('ZREM', leases.grants, memberOf(owner, granted.rank, id))
    call('HDEL', leases.facts, 'g' .. id)
    if insertByLastGrant(leases, owner) < rankAfter(now) then return drop(leases, 'o' .. owner) end
    return 0
  end

  local function endNewest(leases, units)
    leases.first, leases.last = nil, nil
    if isPlain(leases) then
      return units == 0 and 0 or call('ZREMRANGEBYRANK', leases.holders, -units, -1)
    end
    local freed = 0
    while true do
      local name = call('ZREVRANGE', leases.holders, 0, 0)[1]
      if not name or freed + unitsAt(leases, name) > units then return freed end
      freed = freed + drop(leases, name)
    end
  end
`
