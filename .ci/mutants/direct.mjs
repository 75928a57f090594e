const redis = 'packages/core/src/stores/redis'

export const area = 'direct way over Redis'

export const tests = [
  'packages/conformance/test/redis-direct',
  'packages/core/test/redis/order packages/core/test/redis/batching packages/core/test/layers/deadline',
  'packages/conformance/test/redis-late packages/conformance/test/redis-failures packages/conformance/test/redis-lost',
]

export const mutants = [
  {
    file: `${redis}/script/direct.ts`,
    name: 'a peek takes units',
    find: 'and not isPeek then',
    replace: 'then',
  },
  {
    file: `${redis}/script/direct.ts`,
    name: 'the last policy decides for all',
    find: 'params${n}, now, cost) and fits`',
    replace: 'params${n}, now, cost)`',
  },
  {
    file: `${redis}/script/direct.ts`,
    name: 'a key lives as long as its first policy',
    find: "`max(${ends.join(', ')})`",
    replace: 'ends[0]',
  },
  {
    file: `${redis}/script/direct.ts`,
    name: 'an error of one key is an answer of zero',
    find: 'failure = packed.err',
    replace: 'isPlain = true',
  },
  {
    file: `${redis}/script/direct.ts`,
    name: 'the script decides by its own time although the limiter has a clock',
    find: 'now = tonumber(ARGV[2])',
    replace: 'now = serverMs',
  },
  {
    file: `${redis}/script/direct.ts`,
    name: 'a call that comes too late takes units',
    find: 'if serverMs > tonumber(ARGV[1]) then return { serverMs } end',
    replace: '',
  },
  {
    file: `${redis}/script/direct-state.ts`,
    name: 'a count above 2^16 loses its upper bytes',
    find: 'if most < 65536 then',
    replace: 'if most < 4294967296 then',
  },
  {
    file: `${redis}/direct.ts`,
    name: 'a peek is sent as a consumption',
    find: "verb === 'consume' ? cost : -1 - cost",
    replace: 'cost',
  },
  {
    file: `${redis}/direct.ts`,
    name: 'the answers of one key are exchanged',
    find: 'order.push(...indices)',
    replace: 'order.push(...indices.toReversed())',
  },
  {
    file: `${redis}/direct.ts`,
    name: 'a policy with a block is decided directly',
    find: ' || block !== undefined',
    replace: '',
  },
  {
    file: 'packages/core/src/stores/layers/order.ts',
    name: 'a request overtakes another about its key that is held',
    find: 'if (keys.some((key) => deferredKeys.has(key))) return defer(pending, keys)',
    replace: '',
  },
  {
    file: 'packages/core/src/stores/layers/deadline.ts',
    name: 'a request that was held has the whole timeout again',
    find: 'timeoutMs - waitedMs(info)',
    replace: 'timeoutMs',
  },
]
