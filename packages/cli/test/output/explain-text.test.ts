import { memoryStore } from '@sluice/core'
import {
  compileRules,
  contextFacts,
  createRuleLimiter,
  parseRules,
  type RuleContext,
} from '@sluice/rules'
import { expect, test } from 'vitest'
import { explanationAsJson } from '../../src/commands/explain.js'

import { explanationAsText, type ExplainReport } from '../../src/output/explain-text.js'

const at = Date.UTC(2026, 9, 1, 12)
const same = (text: string): string => text
const plain = { error: same, warning: same, success: same, strong: same, faint: same }

/** The report about a request of ada, after some like it. */
async function explained(
  rules: string,
  { times = 1, context = {} }: { times?: number; context?: RuleContext } = {},
): Promise<ExplainReport> {
  const text = `version: 1\nname: a\nvalues: { user: string, size: integer? }\nrules:\n${rules}`
  const set = await compileRules(parseRules({ text, format: 'yaml', files: new Map() }))
  const limiter = createRuleLimiter({
    rules: { name: set.name, current: set },
    store: memoryStore(),
    clock: () => at,
  })
  const request = { user: 'ada', ...context }
  for (let i = 0; i < times; i++) await limiter.consume({ user: 'ada' })
  const [decision, exceeded, { counts }] = await Promise.all([
    limiter.peek(request),
    limiter.peekAll(request),
    limiter.peekCounts(request),
  ])
  const explanation = await set.explain(contextFacts(request, set.document), at, { show: false })
  const standing = { decision, exceeded, counts }
  return { file: 'a.yaml', name: 'a', context: request, at, explanation, standing }
}

async function lastLine(...args: Parameters<typeof explained>): Promise<string> {
  return explanationAsText(await explained(...args), plain)
    .trimEnd()
    .split('\n')
    .slice(-1)[0]
}

const queue = (id: string, window: string, delay: string): string =>
  `  - { id: ${id}, key: user, policy: { kind: gcra, limit: 1, window: ${window}, burst: 1 }, over: { delay: ${delay} } }\n`

test('a request that may wait exactly as long as it has to is delayed', async () => {
  expect(await lastLine(queue('slow', '1h', '1h'))).toBe('now: delayed by slow, allowed in 1h')
  expect(await lastLine(queue('slow', '1h', '3599s'))).toMatch(
    /^now: denied by slow .*, again in 1h$/,
  )
})

test('of several rules that delay, the longest wait and the shortest delay count', async () => {
  const both = (delay: string): string => queue('slow', '1h', '2h') + queue('fast', '30m', delay)
  expect(await lastLine(both('1h'))).toBe('now: delayed by slow, allowed in 1h')
  expect(await lastLine(both('45m'))).toMatch(/^now: denied by slow /)
})

test('a rule that tags does not end the wait for another', async () => {
  const tag = '  - { id: points, key: user, limit: 1, window: 1d, over: { tag: no-points } }\n'
  expect(await lastLine(tag + queue('slow', '1h', '2h'))).toBe(
    'now: delayed by slow, allowed in 1h',
  )
})

test('a request that can never fit is never allowed', async () => {
  const rules = '  - { id: size, key: user, limit: 3, window: 1m, cost: $size }\n'
  const text = explanationAsText(await explained(rules, { times: 0, context: { size: 4 } }), plain)
  expect(text).toContain('now    denies: 0 used, 3 of 3 remain, never again\n')
  expect(text).toMatch(/\nnow: denied by size .*, never again\n$/)
})

test('a count has what is used, what remains, the delay and the time to the full quota', async () => {
  const text = explanationAsText(
    await explained(
      '  - { id: all, key: user, limit: 3, window: 1m, algorithm: fixedWindow }\n' +
        '  - { id: queue, key: user, policy: { kind: leakyQueue, leak: 1, every: 100ms, maxDelay: 500ms } }\n' +
        '  - { id: free, key: user, policy: { kind: unlimited } }\n',
      { times: 2 },
    ),
    plain,
  )
  expect(text).toContain('now    allows: 2 used, 1 of 3 remain, full in 1m\n')
  expect(text).toMatch(/now {4}allows: \d used, \d of \d remain, full in 200ms, delayed by 200ms\n/)
  expect(text).toContain('now    no limit\n')
  expect(text).toMatch(/\nnow: allowed, delayed by 200ms\n$/)
})

test('several policies of a rule have names, and one has none', async () => {
  const text = explanationAsText(
    await explained(
      '  - { id: two, key: user, policies: { short: { kind: fixedWindow, limit: 1, window: 1s }, long: { kind: fixedWindow, limit: 9, window: 1m } } }\n' +
        '  - { id: one, key: user, limit: 5, window: 1m }\n' +
        '  - { id: trial, key: user, limit: 5, window: 1m, shadow: true }\n',
    ),
    plain,
  )
  expect([...text.matchAll(/limit {2}(.*)\n/g)].map(([, limit]) => limit)).toEqual([
    'two.short: fixedWindow, limit 1, window 1s',
    'two.long: fixedWindow, limit 9, window 1m',
    'slidingWindow, limit 5, window 1m',
    'slidingWindow, limit 5, window 1m',
  ])
  expect(text).not.toContain('cost')
  expect(text).toContain('\nasked: two, one   shadow: trial   not asked: 0 rules\n')
})

test('a request that no rule limits says so', async () => {
  const rules = '  - { id: other, when: { user: bob }, key: user, limit: 1, window: 1m }\n'
  const text = explanationAsText(await explained(rules), plain)
  expect(text).toContain(
    '\nasked: none   shadow: none   not asked: 1 rule\nNo rule limits this request.\n',
  )
})

test('JSON has the same decision', async () => {
  const rules =
    '  - { id: queue, key: user, policy: { kind: leakyQueue, leak: 1, every: 2s, maxDelay: 10s } }\n' +
    '  - { id: points, key: user, limit: 1, window: 1d, over: { tag: no-points } }\n'
  const { standing, request, ...rest } = JSON.parse(explanationAsJson(await explained(rules)))
  expect(request).toEqual({ at: '2026-10-01T12:00:00.000Z' })
  expect(rest).toMatchObject({ file: 'a.yaml', name: 'a', type: 'ask', asked: ['queue', 'points'] })
  expect(standing).toMatchObject({
    allowed: true,
    delayMs: 2000,
    retryAfterMs: 0,
    tags: ['no-points'],
    exceeded: [{ rule: 'points' }],
    counts: { points: { used: 1, remaining: 0 } },
  })
})
