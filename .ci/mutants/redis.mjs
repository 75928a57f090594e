const redis = 'packages/core/src/stores/redis'

export const area = 'redis client'

export const tests = [
  'packages/core/test/redis packages/conformance/test/edges packages/conformance/test/redis-own-clock packages/conformance/test/redis-late',
  'packages/conformance/test/redis-batches packages/conformance/test/redis-script packages/conformance/test/redis-server packages/conformance/test/redis-replies',
  'packages/conformance/test/redis-lost packages/conformance/test/redis-failures packages/conformance/test/redis-parallel packages/conformance/test/redis-state',
  'packages/conformance/test/cluster',
]

export const mutants = [
  {
    file: `${redis}/encoding.ts`,
    name: 'a receipt loses its number of resets',
    find: '[now, resets, ...cells]',
    replace: '[now, 0, ...cells]',
  },
  {
    file: `${redis}/calls.ts`,
    name: 'a refund during a pause of Redis is void when it arrives',
    find: 'isRefund ? neverMs : timeoutMs',
    replace: 'isRefund ? timeoutMs : timeoutMs',
  },
  {
    file: `${redis}/calls.ts`,
    name: 'a consumption that arrives late still takes',
    find: 'isRefund ? neverMs : timeoutMs',
    replace: 'isRefund ? neverMs : neverMs',
  },
  {
    file: `${redis}/calls.ts`,
    name: 'a void call is not asked once more',
    find: 'if (attempt > 0) failed(sluiceError(',
    replace: 'if (attempt >= 0) failed(sluiceError(',
  },
  {
    file: `${redis}/calls.ts`,
    name: 'the clock of the server is not learned',
    find: 'clock.learn(sentAt, processTime.monotonic(), Number(reply[0]))',
    replace: '',
  },
  {
    file: `${redis}/calls.ts`,
    name: 'a stale request is not asked again',
    find: 'if (attempt > 1 || !answers',
    replace: 'if (attempt >= 0 || !answers',
  },
  {
    file: `${redis}/evaluation.ts`,
    name: 'a script is run again after any error',
    find: "!(error instanceof Error && error.message.startsWith('NOSCRIPT'))",
    replace: '!(error instanceof Error)',
  },
  {
    file: `packages/core/src/clock.ts`,
    name: 'a reply moves the clock though it says nothing new',
    find: 'Math.min(Math.max(offset, least), most)',
    replace: 'most',
  },
  {
    file: `${redis}/sent-once.ts`,
    name: 'a lost command is sent again as it was',
    find: "command.args[voidAt] = '0'",
    replace: '',
  },
  {
    file: `${redis}/sent-once.ts`,
    name: 'an attempt to connect that failed loses what waits for it',
    find: 'if (isReady) whenLost()',
    replace: 'whenLost()',
  },
  {
    file: `${redis}/slots.ts`,
    name: 'what was taken in one slot stays when another denies',
    find: 'await refundTaken(parts, taken)',
    replace: '',
  },
  {
    file: `${redis}/slots.ts`,
    name: 'what a slot took that had denied before stays',
    find: 'if (!look.allowed) await refundTaken([parts[i]], [result])',
    replace: '',
  },
  {
    file: `${redis}/slots.ts`,
    name: 'a bucket in another slot than the one that denies is not born',
    find: 'look.allowed && !parts[i].request.policies.some(isPersistedOnDenial)',
    replace: 'look.allowed',
  },
  {
    file: `${redis}/slots.ts`,
    name: 'a blocked slot does not keep the others from being reset',
    find: 'blockedUntil > now)) {',
    replace: 'blockedUntil < now)) {',
  },
  {
    file: `${redis}/batches.ts`,
    name: 'a call holds any number of requests',
    find: 'batch.pending.length >= most || batch',
    replace: 'batch',
  },
  {
    file: `${redis}/batches.ts`,
    name: 'a log weighs as little as a row',
    find: 'steps.hasRecords === true ? recordsWeight : 1',
    replace: 'steps.hasRecords === true ? 1 : 1',
  },
]
