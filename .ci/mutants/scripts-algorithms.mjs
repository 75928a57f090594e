const algorithms = 'packages/core/src/algorithms'

export const area = 'scripts of algorithms'

export const tests = [
  'packages/conformance/test/edges packages/conformance/test/sliding-log-chunks packages/conformance/test/redis-own-clock',
  'packages/conformance/test/sliding-log packages/conformance/test/concurrency',
  'packages/conformance/test/memory-equals-redis',
  'packages/conformance/test/stores',
]

export const mutants = [
  {
    file: `${algorithms}/sliding-log/script.ts`,
    name: 'a chunk of a busy log stays',
    find: "forget(key, from, first - 1, '')",
    replace: "forget(key, from, first - 2, '')",
  },
  {
    file: `${algorithms}/sliding-log/script.ts`,
    name: 'a chunk of a forgiven log stays',
    find: "forget(key, number + 1, last, '')",
    replace: "forget(key, number + 2, last, '')",
  },
  {
    file: `${algorithms}/sliding-log/corrections.ts`,
    name: 'a node of corrections stays',
    find: 'isOver and stop or stop - 1, level',
    replace: 'isOver and stop or stop - 2, level',
  },
  {
    file: `${algorithms}/sliding-log/corrections.ts`,
    name: 'corrections are forgotten with the first of their chunks',
    find: 'isOver and stop or stop - 1, level',
    replace: 'stop, level',
  },
  {
    file: `${algorithms}/sliding-log/script.ts`,
    name: 'a record 2^32 ms after its chunk began is in that chunk',
    find: "struct.unpack('<I6', chunk) < WORD then return 0",
    replace: "struct.unpack('<I6', chunk) <= WORD then return 0",
  },
  {
    file: `${algorithms}/concurrency/leases-script.ts`,
    name: 'the lease of a forgiven owner can be released',
    find: "call('HDEL', leases.facts, 'g' .. member:sub(#owner + 8))",
    replace: '',
  },
  {
    file: `${algorithms}/concurrency/leases-script.ts`,
    name: 'the units of an owner that has ended are remembered',
    find: "call('HDEL', leases.facts, 'u' .. name)",
    replace: '',
  },
  {
    file: `${algorithms}/concurrency/script.ts`,
    name: 'the 1025th lease of a millisecond lasts longer (Lua)',
    find: 'math.min(row[3] - row[1] * RANKS, RANKS - 1)',
    replace: '(row[3] - row[1] * RANKS)',
  },
  {
    file: `${algorithms}/concurrency/script.ts`,
    name: 'a clock that steps back makes leases longer (Lua)',
    find: `row[1] = math.max(row[1], now)
      row[2] = row[3]`,
    replace: `row[1] = now
      row[2] = row[3]`,
  },
  {
    file: `${algorithms}/concurrency/script.ts`,
    name: 'a new question of the asker counts its own lease (Lua)',
    find: 'requested = nil',
    replace: '',
  },
  {
    file: `${algorithms}/staged/script.ts`,
    name: 'a penalty of 0 starts the second policy anew (Lua)',
    find: 'if cost > 0 and not first.look',
    replace: 'if not first.look',
  },
  {
    file: `${algorithms}/staged/script.ts`,
    name: 'a refund of the last free request gives nothing back to the second policy (Lua)',
    find: 'if taken ~= 1 and isSameStart then',
    replace: 'if taken == 2 and isSameStart then',
  },
  {
    file: `${algorithms}/staged/script.ts`,
    name: 'a refund of the last free request gives nothing back to the first policy (Lua)',
    find: 'if taken ~= 2 then first',
    replace: 'if taken == 1 then first',
  },
  {
    file: `${algorithms}/staged/script.ts`,
    name: 'a refund reaches units of a later start of the second policy (Lua)',
    find: 'if taken ~= 1 and isSameStart then',
    replace: 'if taken ~= 1 then',
  },
  {
    file: `${algorithms}/gcra/script.ts`,
    name: 'the whole milliseconds of a cost are not whole (Lua)',
    find: 'math.floor(cost * params[3] / params[2])',
    replace: '(cost * params[3] / params[2])',
  },
  {
    file: `${algorithms}/gcra/script.ts`,
    name: 'the places of a span are not whole (Lua)',
    find: '(${span} % 8192 * 10 ^ math.floor(${span} / 8192))',
    replace: '(${span} % 8192 * 10 ^ (${span} / 8192))',
  },
  {
    file: `${algorithms}/gcra/script.ts`,
    name: 'units are added to the backlog of another policy (Lua)',
    find: "const take = `\n    ${rescale(' and cost > 0')}",
    replace: 'const take = `',
  },
  {
    file: `${algorithms}/gcra/script.ts`,
    name: 'a decision of an earlier policy returns units of a later one (Lua)',
    find: 'if steps.isForeign(row, params) then return end',
    replace: 'rescale(row, params, now)',
  },
  {
    file: `${algorithms}/gcra/script.ts`,
    name: 'a refund of nothing converts the count (Lua)',
    find: 'if units <= 0 or (row[1] <= now and row[2] == 0) then return end',
    replace: '',
  },
  {
    file: `${algorithms}/gcra/script.ts`,
    name: 'a penalty of nothing converts the count (Lua)',
    find: "${rescale(' and cost > 0')}",
    replace: "${rescale('')}",
  },
  {
    file: `${algorithms}/leaky-queue/step.ts`,
    name: 'a refund in the middle of a queue gives its end to two requests (Lua)',
    find: 'row[1] ~= receipt[1] or row[2] ~= receipt[2] or ',
    replace: '',
  },
  {
    file: `${algorithms}/gcra/script.ts`,
    name: 'the backlog of another policy is compared as it is (Lua)',
    find: 'local before = row[3] == params[6] and 0 or row[3] % ${spans}\n    if',
    replace: 'local before = 0\n    if',
  },
  {
    file: `${algorithms}/gcra/script.ts`,
    name: 'the whole milliseconds of a refund are not whole (Lua)',
    find: 'math.floor(refunded / refill)',
    replace: '(refunded / refill)',
  },
  {
    file: `${algorithms}/gcra/script.ts`,
    name: 'a refunded unit counts as refunded no more (Lua)',
    find: '- refundedSince * every or 0',
    replace: 'or 0',
  },
  {
    file: `${algorithms}/leaky-queue/step.ts`,
    name: 'a queue refuses the greatest cost (Lua)',
    find: 'cost <= params[8]',
    replace: 'cost < params[8]',
  },
  {
    file: `${algorithms}/leaky-queue/step.ts`,
    name: 'a queue is too long one millisecond early (Lua)',
    find: 'now >= steps.backlogAtMost(',
    replace: 'now > steps.backlogAtMost(',
  },
  {
    file: `${algorithms}/calendar-window/step.ts`,
    name: 'a moment before all borders that Redis was sent lies in a window (Lua)',
    find: 'now < params[2] or now >=',
    replace: 'now >=',
  },
]
