const http = 'packages/core/src/http'

export const area = 'http'

export const tests = [
  'packages/core/test/http/guard packages/core/test/http/settlement packages/core/test/http/denial.test packages/core/test/http/header-fields packages/core/test/http/fields',
  'packages/core/test/http',
]

export const mutants = [
  {
    file: `${http}/guard/settlement.ts`,
    name: 'a success forgets nothing',
    find: 'if (resetOn !== undefined && isSuccess(outcome)) {',
    replace: 'if (resetOn !== undefined && !isSuccess(outcome)) {',
  },
  {
    file: `${http}/guard/settlement.ts`,
    name: 'a success forgets what others hold',
    find: "kind === 'concurrency' || names",
    replace: "kind === '' || names",
  },
  {
    file: `${http}/guard/settlement.ts`,
    name: 'a success forgets the policies that are not named',
    find: '|| names?.includes(name) === false',
    replace: '',
  },
  {
    file: `${http}/guard/settlement.ts`,
    name: 'an answer that nobody got is a success',
    find: 'return status < 400 && !aborted',
    replace: 'return status < 400 || (aborted && status < 400)',
  },
  {
    file: `${http}/guard/settlement.ts`,
    name: 'a denied request that goes on is not settled',
    find: 'if (allowed ? byOutcome : resetOn !== undefined) whenOver',
    replace: 'if (allowed && byOutcome) whenOver',
  },
  {
    file: `${http}/guard/settlement.ts`,
    name: 'a lease is not released',
    find: 'await decision.lease?.release()',
    replace: '',
  },
  {
    file: `${http}/guard/guard.ts`,
    name: 'an error that is none of an object is thrown as it is',
    find: "throw sluiceErrorFrom(error, 'SLUICE_THROWN', name, error)",
    replace: "throw error ?? sluiceErrorFrom(error, 'SLUICE_THROWN', name, error).cause",
  },
  {
    file: `${http}/guard/action.ts`,
    name: 'what a handler of denials throws is not caught',
    find: 'guarded(() => call(handler))',
    replace: '[call].map((own) => own(handler) as never)[0]',
  },
  {
    file: `${http}/guard/action.ts`,
    name: 'a request goes on twice',
    find: 'if (proceeds) return\n',
    replace: '',
  },
  {
    file: `${http}/guard/action.ts`,
    name: 'a response that goes on keeps Retry-After',
    find: "if (!response.headersSent) written.removeHeader('Retry-After')",
    replace: '',
  },
  {
    file: `${http}/guard/in-order.ts`,
    name: 'of two limiters the first one’s headers are lost',
    find: '[...new Map([...written, ...joined])]',
    replace: '[...new Map([...joined])]',
  },
  {
    file: `${http}/response/retry-after.ts`,
    name: 'a client is told to wait for leases',
    find: '.filter((name) => !isLeased(policies, name))',
    replace: '.filter((name) => !isLeased(policies, name) || name !== "")',
  },
  {
    file: `${http}/response/draft-fields.ts`,
    name: 'a full quota says that more comes at once',
    find: 'nextMs === 0 || !policy.isTimed',
    replace: '!policy.isTimed',
  },
  {
    file: `${http}/response/older-fields.ts`,
    name: 'a denial tells a reset other than its Retry-After',
    find: 'allowed ? seconds(resetMs) : retryAfter()',
    replace: 'allowed || resetMs > 0 ? seconds(resetMs) : retryAfter()',
  },
  {
    file: `${http}/response/denial.ts`,
    name: 'an Accept header of any length is read',
    find: 'if (header.length > maxAcceptLength) return false',
    replace: '',
  },
  {
    file: `${http}/lists/address-ranges.ts`,
    name: 'the last address of a range is outside',
    find: 'before !== undefined && key <= before.last',
    replace: 'before !== undefined && key < before.last',
  },
  {
    file: `${http}/request/response.ts`,
    name: 'an answer that was cut off was sent',
    find: 'aborted: !response.writableEnded || !sent',
    replace: 'aborted: !response.writableEnded',
  },
  {
    file: `${http}/request/view.ts`,
    name: 'a target with a host is not read by its path',
    find: 'const rest = target.slice(sent.length)',
    replace: 'const rest = target',
  },
  {
    file: `${http}/request/view.ts`,
    name: 'a web Request is read like a request of Node',
    find: 'if (isObject(node) && !isOfFetch(node)) return',
    replace: 'if (isObject(node)) return',
  },
  {
    file: `${http}/rules/carry-out.ts`,
    name: 'a denial keeps the units of the consumptions before it',
    find: 'return after(refundTaken(), () => ({ decision, enforced: parts }))',
    replace: 'return { decision, enforced: parts }',
  },
  {
    file: `${http}/rules/carry-out.ts`,
    name: 'an error keeps the units of other consumptions',
    find: '(error) => after(refundTaken(), () => rethrow(error)),',
    replace: '(error) => rethrow(error),',
  },
  {
    file: `${http}/rules/carry-out.ts`,
    name: 'an error keeps the units of tagging consumptions',
    find: 'taken.push(...tags.filter(({ decision }) => decision.allowed))',
    replace: '',
  },
  {
    file: `${http}/rules/carry-out.ts`,
    name: 'an error of a shadow consumption is that of the request',
    find: 'for (const consumption of shadow) shadowed(consumption)',
    replace: 'for (const consumption of shadow) void decided(consumption, false)',
  },
  {
    file: `${http}/rules/carry-out.ts`,
    name: 'a client that leaves is a failure of the store',
    find: 'if (!isAborted) told(() => consumption.onError(error))',
    replace: 'told(() => consumption.onError(error))',
  },
  {
    file: `${http}/rules/carry-out.ts`,
    name: 'a leaky queue delays no request of rules',
    find: 'if (wait === undefined || !taken.some(isDelayed)) return undefined',
    replace: 'if (wait !== undefined || !taken.some(isDelayed)) return undefined',
  },
  {
    file: `${http}/rules/delays.ts`,
    name: 'a denied request waits for the longest delay',
    find: 'shortest = Math.min(shortest ?? Infinity, outcome.maxMs)',
    replace: 'shortest = Math.max(shortest ?? 0, outcome.maxMs)',
  },
  {
    file: `${http}/rules/delays.ts`,
    name: 'a request waits although another rule denies it',
    find: "if (outcome?.type !== 'delay') return undefined",
    replace: "if (outcome?.type !== 'delay') continue",
  },
  {
    file: `${http}/rules/rule-decision.ts`,
    name: 'a tag of rules is there twice',
    find: '[...new Set([...tags, ...tagging.flatMap(tagsOf)])]',
    replace: '[...tags, ...tagging.flatMap(tagsOf)]',
  },
  {
    file: `${http}/rules/rule-decision.ts`,
    name: 'only the first of several parts is refunded',
    find: 'others.length === 0 ? first : { ...first, others }',
    replace: 'first',
  },
  {
    file: `${http}/rules/settlement.ts`,
    name: 'rules refund what they count',
    find: "counts === 'all' || (counts === 'successes') === succeeded",
    replace: "counts === 'all' || (counts === 'failures') === succeeded",
  },
  {
    file: `${http}/rules/settlement.ts`,
    name: 'a failure resets the counts of rules',
    find: 'resetOnSuccess && succeeded',
    replace: 'resetOnSuccess',
  },
  {
    file: `${http}/rules/flow.ts`,
    name: 'a shadow rule is a decision of the application',
    find: 'const seen = isSeen ? decision : undefined',
    replace: 'const seen = decision',
  },
  {
    file: `${http}/rules/flow.ts`,
    name: 'tags without limits are lost',
    find: "if (judgement.type === 'pass' && judgement.tags.length === 0) return unlimited",
    replace: "if (judgement.type === 'pass') return unlimited",
  },
]
