const algorithms = 'packages/core/src/algorithms'
const script = 'packages/core/src/stores/redis/script'

export const area = 'scripts'

export const tests = [
  'packages/conformance/test/edges packages/conformance/test/redis-own-clock',
  'packages/conformance/test/redis-full packages/conformance/test/redis-failures packages/conformance/test/redis-script packages/conformance/test/redis-batches',
  'packages/conformance/test/memory-equals-redis packages/conformance/test/redis-late packages/conformance/test/redis-replica',
  'packages/conformance/test/redis-plan',
  'packages/conformance/test/stores packages/conformance/test/redis-state packages/conformance/test/redis-lost',
]

export const mutants = [
  {
    file: `${script}/rest.ts`,
    name: 'a key lives as long as its last policy, not the longest',
    find: 'math.max(lives, life)',
    replace: 'life',
  },
  {
    file: `${script}/rest.ts`,
    name: 'a policy that a call has not written shortens the life of its key',
    find: "or redis.call('PTTL', state.key)",
    replace: 'or 1',
  },
  {
    file: `${script}/rest.ts`,
    name: 'a block is kept as long as its key',
    find: 'if block then part.life = block[1] + block[2] + time.margin - time.now end',
    replace: '',
  },
  {
    file: `${script}/rest.ts`,
    name: 'a policy finds the row of any form of its name',
    find: 'part.id == (id or policy.id) and',
    replace: 'part.id == (id or part.id) and',
  },
  {
    file: `${script}/rest.ts`,
    name: 'a policy finds a row with another number of cells',
    find: '(part.width == 0 or part.width == policy.stored)',
    replace: 'part.width >= 0',
  },
  {
    file: `${script}/rest.ts`,
    name: 'the row of another form has no end',
    find: 'if not hasOtherForm(state[i], state) then state[i].ends = false end',
    replace: 'state[i].ends = false',
  },
  {
    file: `${script}/rest.ts`,
    name: 'each row has an end',
    find: 'if not hasOtherForm(state[i], state) then state[i].ends = false end',
    replace: '',
  },
  {
    file: `${script}/rest.ts`,
    name: 'a block or a reset beside a row is another form of it',
    find: 'and part.id ~= BLOCK and part.id ~= RESET',
    replace: '',
  },
  {
    file: `${script}/rest.ts`,
    name: 'the end of the row of another form is not applied',
    find: 'part.ends and part.ends - state.serverMs or',
    replace: '',
  },
  {
    file: `${script}/rest.ts`,
    name: 'the row of another form ends at once',
    find: 'part.ends = state.serverMs + life',
    replace: 'part.ends = state.serverMs + 1',
  },
  {
    file: `${script}/rest.ts`,
    name: 'a row that is written again keeps the end that another form gave it',
    find: 'if part.row or not part.ends then part.ends',
    replace: 'if not part.ends then part.ends',
  },
  {
    file: `${script}/rest.ts`,
    name: 'a new form is written after all other policies',
    find: 'if not id and isRowOf(state[i], policy) then at = i end',
    replace: '',
  },
  {
    file: `${script}/state.ts`,
    name: 'a row with an end is read with that of its cells',
    find: 'cells = cells:sub(8)',
    replace: 'cells = cells:sub(2)',
  },
  {
    file: `${script}/state.ts`,
    name: 'a row with an end loses the number of its cells',
    find: "width, ends = struct.unpack('<I1I6', cells)",
    replace: "width, ends = 0, select(2, struct.unpack('<I1I6', cells))",
  },
  {
    file: `${script}/request.ts`,
    name: 'a reset lists only the bodies of its own algorithm',
    find: "keys(request.verb == 'reset' and MOST_BODIES or cursor.bodies)",
    replace: 'keys(cursor.bodies)',
  },
  {
    file: `${script}/verbs.ts`,
    name: 'a reset keeps the bodies of another form',
    find: 'if part ~= own then hasBodies = true end',
    replace: '',
  },
  {
    file: `${script}/verbs.ts`,
    name: 'a reset keeps the rows of another form',
    find: 'table.remove(state, i)\n      state.changed = true\n    end\n  end\n  if hasBodies',
    replace:
      'if part == own then table.remove(state, i) end\n      state.changed = true\n    end\n  end\n  if hasBodies',
  },
  {
    file: `${script}/verbs.ts`,
    name: 'a reset is recorded only for the form that resets',
    find: 'ends = math.max(ends, now + lifeOf(part, state))',
    replace: '',
  },
  {
    file: `${script}/verbs.ts`,
    name: 'a reset is recorded for as long as the key, not as its units',
    find: 'if part ~= own and isRowOf(part, cursor) then ends',
    replace: 'if isRowOf(part, cursor) then ends',
  },
  {
    file: `${script}/rest.ts`,
    name: 'a state does not outlive its end',
    find: 'ends - time.now + time.margin or 0',
    replace: 'ends - time.now or 0',
  },
  {
    file: `${script}/rest.ts`,
    name: 'a memory limit is passed by a new key',
    find: 'elseif full and state.isNew then',
    replace: 'elseif false then',
  },
  {
    file: `${script}/request.ts`,
    name: 'a call that came too late is run',
    find: 'if serverMs > tonumber(ARGV[1]) then',
    replace: 'if false then',
  },
  {
    file: `${script}/request.ts`,
    name: 'a replica answers each request by itself',
    find: "if failure:find('READONLY', 1, true) == 1 then return redis.error_reply(failure) end",
    replace: '',
  },
  {
    file: `${script}/request.ts`,
    name: 'a call that frees memory writes nothing first',
    find: "redis.call('PEXPIRE', KEYS[1], 0, 'GT')",
    replace: '',
  },
  {
    file: `${script}/verbs.ts`,
    name: 'a refund after a reset takes units of later decisions',
    find: 'if isForgotten(cursor) then return true end',
    replace: '',
  },
  {
    file: `${script}/verbs.ts`,
    name: 'a refund in the millisecond of its reset takes units of later decisions',
    find: 'receipt.resets ~= reset[3]',
    replace: 'false',
  },
  {
    file: `${script}/verbs.ts`,
    name: 'the second of two resets in one millisecond is not counted',
    find: 'at, count = last[1], last[3] + 1',
    replace: 'at, count = last[1], last[3]',
  },
  {
    file: `${script}/verbs.ts`,
    name: 'a refund leaves the block that its request started',
    find: 'and isUndone(cursor) then',
    replace: 'and false then',
  },
  {
    file: `${script}/verbs.ts`,
    name: 'a denied request starts no block',
    find: 'if cursor.fits or cursor.startsOn',
    replace: 'if not cursor.fits or cursor.startsOn',
  },
  {
    file: `${script}/verbs.ts`,
    name: 'a denied request starts the block of a policy that allowed it',
    find: 'if cursor.fits or cursor.startsOn',
    replace: 'if cursor.startsOn',
  },
  {
    file: `${script}/verbs.ts`,
    name: 'a denial extends the block',
    find: "cursor.startsOn ~= 'exceeded' or cursor.block[1] > request.now then",
    replace: "cursor.startsOn ~= 'exceeded' then",
  },
  {
    file: `${script}/verbs.ts`,
    name: 'a bucket expires during a block that a denied request started',
    find: 'if cursor.persists then save(cursor) end',
    replace: '',
  },
  {
    file: `${script}/verbs.ts`,
    name: 'a block has no longest length',
    find: 'math.min(cursor.most, math.floor(last[2] * cursor.escalate))',
    replace: 'math.floor(last[2] * cursor.escalate)',
  },
  {
    file: `${script}/request.ts`,
    name: 'the millisecond of a reset is not in the answer',
    find: 'if cursor.reset and cursor.reset[1] == request.now then',
    replace: 'if false then',
  },
  {
    file: `${script}/state.ts`,
    name: 'a count from 2^32 on is written in four bytes',
    find: 'largest < 4294967296 and 4',
    replace: 'largest <= 4294967296 and 4',
  },
  {
    file: `${algorithms}/window.ts`,
    name: 'a fixed window lets a refund through after it was emptied and begun anew (Lua)',
    find: 'if row[1] == receipt[1] then row[2]',
    replace: 'if true then row[2]',
  },
  {
    file: `${algorithms}/sliding-window/step.ts`,
    name: 'a sliding window lets a refund through after it was emptied and begun anew (Lua)',
    find: 'local known = passed > 0 or row[1] == receipt[1]',
    replace: 'local known = true',
  },
  {
    file: `${algorithms}/sliding-window/spread.ts`,
    name: 'a spread window takes a refund for that of the current window (Lua)',
    find: 'row[3] > 0 and row[1] == receipt[1]',
    replace: 'row[3] > 0',
  },
  {
    file: `${algorithms}/sliding-window/spread.ts`,
    name: 'a spread window is not shortened by the refund of its newest unit (Lua)',
    find: 'if isNewest then row[span] = receipt[7] end',
    replace: '',
  },
  {
    file: `${algorithms}/sliding-window/spread.ts`,
    name: 'a spread window opens before the last unit of the older one (Lua)',
    find: 'math.max(now, row[2] + row[6]), 0',
    replace: 'now, 0',
  },
]
