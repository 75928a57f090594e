const redis = 'packages/core/src/stores/redis'

export const area = 'plans over Redis'

export const tests = [
  'packages/conformance/test/redis-plan',
  'packages/conformance/test/stores packages/conformance/test/models packages/conformance/test/cluster.test',
  'packages/core/test/redis/order packages/core/test/redis/batching packages/core/test/pipeline/deadline',
  'packages/conformance/test/redis-late packages/conformance/test/redis-failures packages/conformance/test/redis-lost packages/conformance/test/redis-full',
]

export const mutants = [
  {
    file: `${redis}/script/decide.ts`,
    name: 'a peek takes units',
    find: 'if not isPeek and not failure then',
    replace: 'if not failure then',
  },
  {
    file: `${redis}/script/decide.ts`,
    name: 'one policy that allows decides for all',
    find: "fits${n}`).join(' and ')",
    replace: "fits${n}`).join(' or ')",
  },
  {
    file: `${redis}/script/decide.ts`,
    name: 'a blocked key is allowed',
    find: 'fits${n} and blockEnd${n} <= now`',
    replace: 'fits${n}`',
  },
  {
    file: `${redis}/script/decide.ts`,
    name: 'a block has no longest length',
    find: 'math.min(${most}, math.floor(blockLength${n} * ${escalate}))',
    replace: 'math.floor(blockLength${n} * ${escalate})',
  },
  {
    file: `${redis}/script/decide.ts`,
    name: 'a denial extends the block',
    find: 'if not fits${n} and blockEnd${n} <= now then',
    replace: 'if not fits${n} then',
  },
  {
    file: `${redis}/script/decide.ts`,
    name: 'a denied request does not save a new bucket',
    find: "return `${persistsOnDenial ? saveInitial(n) : ''}\n        ${blocksOn",
    replace: 'return `${blocksOn',
  },
  {
    file: `${redis}/script/decide.ts`,
    name: 'a request with records does not check whether memory is full',
    find: "if (!policies.some(({ recordKeyCount }) => recordKeyCount > 0)) return ''",
    replace: "if (policies.length > 0) return ''",
  },
  {
    file: `${redis}/script/states.ts`,
    name: 'a key lives as long as its first policy',
    find: '`math.max(${passed(ends, plan.shape)})`',
    replace: 'ends[0]',
  },
  {
    file: `${redis}/script/states.ts`,
    name: 'an error of one key is an answer of zero',
    find: 'failure = failure or packed${key}.err',
    replace: '',
  },
  {
    file: `${redis}/script/states.ts`,
    name: 'a count above 2^16 loses its upper bytes',
    find: 'if most < 65536 then',
    replace: 'if most < 4294967296 then',
  },
  {
    file: `${redis}/script/states.ts`,
    name: 'a state with other rows is written without them',
    find: 'if not isPlain then state${key} = found end',
    replace: '',
  },
  {
    file: `${redis}/script/states.ts`,
    name: 'a row is read by its length alone',
    find: ' and head${policy.n} == found${policy.n}',
    replace: '',
  },
  {
    file: `${redis}/script/states.ts`,
    name: 'a row that ends is kept',
    find: '...policies.map(({ n }) => `ended${n} > now`),',
    replace: '',
  },
  {
    file: `${redis}/script/plan.ts`,
    name: 'the script decides by its own time although the limiter has a clock',
    find: 'now, margin = at + 0, 86400000',
    replace: 'now, margin = serverMs, 86400000',
  },
  {
    file: `${redis}/script/plan.ts`,
    name: 'a call that comes too late takes units',
    find: 'if serverMs > ARGV[1] + 0 then return { serverMs } end',
    replace: '',
  },
  {
    file: `${redis}/encoding.ts`,
    name: 'a peek is sent as a consumption',
    find: "verb === 'consume' ? cost : -1 - cost",
    replace: 'cost',
  },
  {
    file: `${redis}/encoding.ts`,
    name: 'the answers of one key are exchanged',
    find: 'flatMap(({ indices }) => indices)',
    replace: 'flatMap(({ indices }) => indices.toReversed())',
  },
  {
    file: `${redis}/encoding.ts`,
    name: 'requests of different times are decided by the first',
    find: 'group !== undefined && group.now === now',
    replace: 'group !== undefined',
  },
  {
    file: `${redis}/answers.ts`,
    name: 'the states of policies with several keys are exchanged',
    find: 'states[order[policy]] =',
    replace: 'states[policy] =',
  },
  {
    file: `${redis}/calls.ts`,
    name: 'a part that could not be refunded is ignored',
    find: 'if (failed !== undefined) throw failed',
    replace: '',
  },
  {
    file: `${redis}/batches.ts`,
    name: 'a request overtakes another about its key in another target',
    find: 'if (otherTarget === target || !isAbout(other, pending)) continue',
    replace: 'if (otherTarget === target || isAbout(other, pending)) continue',
  },
  {
    file: `${redis}/evaluation.ts`,
    name: 'the first call of a script is sent again, and may be overtaken',
    find: 'if (!sent.has(digest)) {',
    replace: 'if (sent.size < 0) {',
  },
  {
    file: `${redis}/script/decide.ts`,
    name: 'an exempt policy is denied by its quota',
    find: '`if blockEnd${n} < 0 then fits${n} = true end`',
    replace: "''",
  },
  {
    file: `${redis}/script/decide.ts`,
    name: 'of several policies, the exempt ones are counted as well',
    find: '`if blockEnd${n} >= 0 then\n            ${take}\n          end`',
    replace: 'take',
  },
  {
    file: `${redis}/script/decide.ts`,
    name: 'a request of an exempt key is counted if its policy is written alone',
    find: 'const counts = `${cost} > 0 and blockEnd${n} >= 0`',
    replace: 'const counts = `${cost} > 0`',
  },
  {
    file: `${redis}/script/decide.ts`,
    name: 'a request of an exempt key creates its bucket',
    find: 'ended${n} <= now and blockEnd${n} >= 0',
    replace: 'ended${n} <= now',
  },
  {
    file: `${redis}/script/decide.ts`,
    name: 'if memory is full, a request of an exempt key fails',
    find: 'const costs = policies.map(({ n, cost }) => `${cost} > 0 and blockEnd${n} >= 0`)',
    replace: 'const costs = policies.map(({ cost }) => `${cost} > 0`)',
  },
  {
    file: `${redis}/script/states.ts`,
    name: 'the state of an exempt key is written again if another key takes units',
    find: '`${isTaken} and (${someCounts(policies)})`',
    replace: 'isTaken',
  },
  {
    file: `${redis}/script/states.ts`,
    name: 'the row of an exempt policy is saved beside those of others',
    find: 'const isSaved = isSavedAlone ? `saved${n}` : `blockEnd${n} >= 0`',
    replace: "const isSaved = isSavedAlone ? `saved${n}` : 'true'",
  },
  {
    file: `${redis}/script/long-lists.ts`,
    name: 'a long list keeps the last value of what it declares',
    find: "equals === '' ? ' = nil' : equals",
    replace: "equals === '' ? ' = 1, 1, 1' : equals",
  },
  {
    file: `${redis}/script/long-lists.ts`,
    name: 'a list of any length has local variables',
    find: 'return policies.length > mostWithLocals',
    replace: 'return policies.length > 99',
  },
  {
    file: `${redis}/plans.ts`,
    name: 'policies with keys of their own have one key',
    find: "Number(pattern.split(',')[i + 1] ?? 1)",
    replace: "Number(pattern.split(',')[1] ?? 1)",
  },
  {
    file: `${redis}/plans.ts`,
    name: 'a list of any length has a script of its own',
    find: 'if (bound.length > mostPolicies) return undefined',
    replace: '',
  },
]
