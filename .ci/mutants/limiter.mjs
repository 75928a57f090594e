const limiter = 'packages/core/src/limiter'

export const area = 'limiter'

export const tests = [
  'packages/conformance/test/limiter-numbers packages/conformance/test/acquire-line packages/conformance/test/refunds packages/core/test/acquire-bound packages/core/test/unlimited packages/core/test/keys.test',
  'packages/conformance/test/acquire packages/conformance/test/concurrency.test packages/conformance/test/known-mistakes',
  'packages/core/test/limited packages/core/test/limiter-options packages/core/test/pipeline/events packages/core/test/pipeline/status packages/core/test/two-copies packages/conformance/test/limited packages/conformance/test/costs',
  'packages/conformance/test/stores packages/conformance/test/models',
]

export const mutants = [
  {
    file: `${limiter}/read-decision.ts`,
    name: 'a denial carries a delay',
    find: 'allowed ? delayMs : 0,',
    replace: 'delayMs,',
  },
  {
    file: `${limiter}/leases.ts`,
    name: 'the length of two leases is the longer',
    find: 'Math.min(...lengths)',
    replace: 'Math.max(...lengths)',
  },
  {
    file: `${limiter}/leases.ts`,
    name: 'a request that takes nothing has a lease',
    find: 'if (at === -1 || costAt(cost, at) === 0) return undefined',
    replace: 'if (at === -1) return undefined',
  },
  {
    file: `${limiter}/read-decision.ts`,
    name: 'the limit is that of the first policy',
    find: 'remaining = verdict.remaining\n      limit = verdict.limit',
    replace: 'remaining = verdict.remaining\n      limit = Math.min(limit, verdict.limit)',
  },
  {
    file: `${limiter}/read-decision.ts`,
    name: 'a blocked key has units to spend',
    find: '    remaining: 0,\n',
    replace: '',
  },
  {
    file: `${limiter}/read-decision.ts`,
    name: 'a quota of nothing has to be waited for',
    find: 'limit === 0 ? 0 : Math.max(0, compact(decided.full - decided.now))',
    replace: 'Math.max(0, compact(decided.full - decided.now))',
  },
  {
    file: `${limiter}/read-decision.ts`,
    name: 'what a block ends before it frees is known too early',
    find: 'remaining > 0 ? blockedMs : Math.max(blockedMs, nextMs)',
    replace: 'blockedMs',
  },
  {
    file: `${limiter}/decisions.ts`,
    name: 'a subscriber to denials alone is told of none',
    find: '(!decision.allowed && denial.hasSubscribers)',
    replace: '(!allowed && decision.hasSubscribers)',
  },
  {
    file: `${limiter}/refunds.ts`,
    name: 'a decision is given back twice',
    find: 'allowed ? markRefunded(receipt, asked) : []',
    replace: 'allowed ? (markRefunded(receipt, asked), asked) : []',
  },
  {
    file: `${limiter}/refunds.ts`,
    name: 'the decision of another limiter is given back',
    find: 'policy.limiter === limiter)) return',
    replace: "policy.limiter !== '')) return",
  },
  {
    file: 'packages/core/src/stores/store.ts',
    name: 'a refund of some policies uses the receipts of others',
    find: 'receipts: indices.map((i) => receipts[i])',
    replace: 'receipts: indices.map((_, i) => receipts[i])',
  },
  {
    file: 'packages/core/src/stores/store.ts',
    name: 'a refund of some policies has the costs of others',
    find: 'indices.map((index) => cost[index])',
    replace: 'indices.map((_, i) => cost[i])',
  },
  {
    file: `${limiter}/arguments.ts`,
    name: 'a policy that a record of costs leaves out takes nothing',
    find: 'checkedCost(limiter, costs[name]) : 1',
    replace: 'checkedCost(limiter, costs[name]) : 0',
  },
  {
    file: `${limiter}/arguments.ts`,
    name: 'a cost for an unknown policy is ignored',
    find: "if (!names.includes(name)) throw sluiceError('SLUICE_POLICY_NAME_UNKNOWN', limiter, name, names)",
    replace: '',
  },
  {
    file: `${limiter}/refunds.ts`,
    name: 'a refund of some policies ignores a name that the decision does not have',
    find: 'if (names !== undefined) assertKnown(names, receipts)',
    replace: '',
  },
  {
    file: `${limiter}/refunds.ts`,
    name: 'the refund of one policy marks the whole decision',
    find: 'positions.filter((position) => !known.has(position))',
    replace: 'positions.slice(0, 0)',
  },
  {
    file: `${limiter}/dispatch.ts`,
    name: 'the states of unlimited policies push those of others aside',
    find: 'positions.map((i) => all[i])',
    replace: 'positions.map((_, i) => all[i])',
  },
  {
    file: `${limiter}/stated-policies.ts`,
    name: 'a limit beside policies is ignored',
    find: "  ['limit', 'policies', oneWay],\n",
    replace: '',
  },
  {
    file: `${limiter}/stated-policies.ts`,
    name: 'a builder of the application may return anything',
    find: 'if (isPolicy(policy)) return policy',
    replace: 'if (isPolicy(policy) || limit > 0) return policy',
  },
  {
    file: `${limiter}/acquire.ts`,
    name: 'a line of a key is never forgotten',
    find: 'if (--line.calls === 0) lines.delete(id)',
    replace: 'line.calls--',
  },
  {
    file: `${limiter}/acquire.ts`,
    name: 'an aborted waiter keeps what it was given',
    find: 'if (decision.allowed) await admission.refund(decision)',
    replace: '',
  },
  {
    file: `${limiter}/acquire.ts`,
    name: 'what a queue gives too late is taken',
    find: 'admission.refund(decision),\n      admission',
    replace: 'true,\n      admission',
  },
  {
    file: `${limiter}/acquire.ts`,
    name: 'a request that waits too long for a queue is held',
    find: 'decision.delayMs === 0 || decision.delayMs <= leftMs',
    replace: 'decision.delayMs >= 0 || decision.delayMs <= leftMs',
  },
  {
    file: `${limiter}/waits.ts`,
    name: 'a held request that is aborted keeps what it took',
    find: 'await limiter.refund(decision)',
    replace: '',
  },
  {
    file: `${limiter}/waits.ts`,
    name: 'a lease ends while its request is held',
    find: 'lease === undefined || delayMs === 0 ? undefined',
    replace: 'lease === undefined || delayMs >= 0 ? undefined',
  },
  {
    file: `${limiter}/read-decision.ts`,
    name: 'a policy keeps the delay of a request that has started',
    find: '{ ...verdict, delayMs: 0 }',
    replace: 'verdict',
  },
  {
    file: `${limiter}/waits.ts`,
    name: 'a request that waited for its turn has the numbers of an earlier moment',
    find: 'performance.now() - asked > maxAgeMs',
    replace: 'performance.now() - asked > 1000 * maxAgeMs',
  },
  {
    file: `${limiter}/waits.ts`,
    name: 'a wait for leases is firm',
    find: 'hasLeases(policy) && wait !== null',
    replace: 'hasLeases(policy) && wait === null',
  },
]
