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
    find: 'settlementOf(result, isSuccess(outcome))',
    replace: 'settlementOf(result, !isSuccess(outcome))',
  },
  {
    file: `${http}/guard/settlement.ts`,
    name: 'a success forgets what others hold',
    find: "kind === 'concurrency' || !names",
    replace: "kind === '' || !names",
  },
  {
    file: `${http}/guard/judge.ts`,
    name: 'a success forgets the policies that are not named',
    find: ' && names?.includes(rule) !== false',
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
    find: '&& !dependsOnOutcome(result)) return',
    replace: '&& (!allowed || !dependsOnOutcome(result))) return',
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
    file: `${http}/guard/guard.ts`,
    name: 'an error of a key that the application asks for is not that of the request',
    find: 'keyOf: (view) => guarded(() => judge.keyOf(view)),',
    replace: 'keyOf: (view) => judge.keyOf(view),',
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
    file: `${http}/guard/route-limits.ts`,
    name: 'of two limiters the first one’s headers are lost',
    find: '[...new Map([...written, ...joined])]',
    replace: '[...new Map([...joined])]',
  },
  {
    file: `${http}/response/header-fields.ts`,
    name: 'a client is told to wait for leases',
    find: '.filter((name) => !isLeased(policies, name))',
    replace: '.filter((name) => !isLeased(policies, name) || name !== "")',
  },
  {
    file: `${http}/response/header-fields.ts`,
    name: 'a full quota says that more comes at once',
    find: 'nextMs === 0 || !policy.isTimed',
    replace: '!policy.isTimed',
  },
  {
    file: `${http}/response/policy-items.ts`,
    name: 'a policy without a name has no name of its limiter',
    find: 'if (isPolicy(policies)) return () => limiter',
    replace: "if (isPolicy(policies)) return () => 'default'",
  },
  {
    file: `${http}/response/policy-items.ts`,
    name: 'joined policies have their joined names',
    find: 'joined.get(policy) ?? limiter',
    replace: 'policy',
  },
  {
    file: `${http}/response/policy-items.ts`,
    name: 'a response has a name twice',
    find: 'if (taken.has(name)) return numbered(items, taken)',
    replace: 'if (taken.has(name)) return numbered(items)',
  },
  {
    file: `${http}/response/fields.ts`,
    name: 'a parameter of an earlier item is taken for a name',
    find: "before === '=' ? [] : [text]",
    replace: "before === ';' ? [] : [text]",
  },
  {
    file: `${http}/response/fields.ts`,
    name: 'of two limiters with the same number of units left, the later one is shown',
    find: 'Number(earlier) <= Number(remaining)',
    replace: 'Number(earlier) < Number(remaining)',
  },
  {
    file: `${http}/response/fields.ts`,
    name: 'of two limiters with the same number of units left, draft-7 shows the later one',
    find: 'remainingIn(earlier) > remainingIn(value)',
    replace: 'remainingIn(earlier) >= remainingIn(value)',
  },
  {
    file: `${http}/guard/route-limits.ts`,
    name: 'a limit of a list does not know the names of the earlier ones',
    find: 'if (fields.length === 0) return earlier',
    replace: 'if (fields.length >= 0) return earlier',
  },
  {
    file: `${http}/response/denial.ts`,
    name: 'an object without a JSON form is an empty body',
    find: 'if (text !== undefined) return',
    replace: "text ??= ''\n  return",
  },
  {
    file: `${http}/guard/decide.ts`,
    name: 'a subscriber to denials alone does not get the request',
    find: 'if (decision.hasSubscribers || denial.hasSubscribers) exchange',
    replace: 'if (decision.hasSubscribers) exchange',
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
    find: "if (typeof node === 'object' && node !== null && !('bodyUsed' in node)) {",
    replace: "if (typeof node === 'object' && node !== null) {",
  },
  {
    file: `${http}/rules/ask-limits.ts`,
    name: 'an error keeps the units of the enforced consumption',
    find: 'if (enforced !== undefined) taken.unshift(enforced)',
    replace: '',
  },
  {
    file: `${http}/rules/ask-limits.ts`,
    name: 'an error keeps the units of tagging consumptions',
    find: 'const taken = tags.filter(({ decision }) => decision.allowed)',
    replace: 'const taken: LimitResult[] = []',
  },
  {
    file: `${http}/rules/ask-limits.ts`,
    name: 'an error of a shadow consumption is that of the request',
    find: 'for (const consumption of shadow) askShadow(limiter, consumption, options)',
    replace:
      "for (const consumption of shadow) void decided(limiter, consumption, options, 'shadow')",
  },
  {
    file: `${http}/rules/ask-limits.ts`,
    name: 'a client that leaves is a failure of the store',
    find: 'if (signal?.aborted === true) throw error\n',
    replace: '',
  },
  {
    file: `${http}/rules/ask-limits.ts`,
    name: 'a leaky queue delays no request',
    find: 'if (decision.delayMs > 0 && mayWait && options.wait !== undefined) {',
    replace: 'if (decision.delayMs < 0 && options.wait !== undefined) {',
  },
  {
    file: `${http}/rules/ask-limits.ts`,
    name: 'a denied request waits for the longest delay',
    find: 'shortest = Math.min(shortest ?? Infinity, outcome.maxMs)',
    replace: 'shortest = Math.max(shortest ?? 0, outcome.maxMs)',
  },
  {
    file: `${http}/rules/ask-limits.ts`,
    name: 'a request waits although another rule denies it',
    find: "if (outcome?.type !== 'delay') return undefined",
    replace: "if (outcome?.type !== 'delay') continue",
  },
  {
    file: `${http}/rules/rule-decision.ts`,
    name: 'a tag of rules is there twice',
    find: '[...new Set([...about.tags, ...tagging.flatMap(tagsOf)])]',
    replace: '[...about.tags, ...tagging.flatMap(tagsOf)]',
  },
  {
    file: `${http}/rules/rule-decision.ts`,
    name: 'only the first of several results is refunded',
    find: 'return results.flatMap(({ decision }) => receiptsOf(decision) ?? [])',
    replace: 'return results.slice(0, 1).flatMap(({ decision }) => receiptsOf(decision) ?? [])',
  },
  {
    file: `${http}/guard/settlement.ts`,
    name: 'rules refund what they count',
    find: "counts === 'all' || (counts === 'successes') === succeeded",
    replace: "counts === 'all' || (counts === 'failures') === succeeded",
  },
  {
    file: `${http}/guard/settlement.ts`,
    name: 'a failure resets the counts of rules',
    find: 'resetOnSuccess && succeeded',
    replace: 'resetOnSuccess',
  },
  {
    file: `${http}/guard/decide.ts`,
    name: 'a shadow rule is a decision of the application',
    find: 'if (!decision.allowed || decision.applied.length > 0 || decision.tags.length > 0) {',
    replace: "if (decision.rules !== '') {",
  },
  {
    file: `${http}/guard/judge.ts`,
    name: 'tags without limits are lost',
    find: "if (judgement.type === 'pass' && judgement.tags.length === 0) exchange",
    replace: "if (judgement.type === 'pass') exchange",
  },
]
