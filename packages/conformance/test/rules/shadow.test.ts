import { express, fastify, koa, nestjs } from '@sluice/conformance/adapters'
import { loadRules, staticSource, type RulesDocument } from '@sluice/rules'
import { describe, expect, onTestFinished, test } from 'vitest'
import { sendTarget } from './targets.js'

type Rule = RulesDocument['rules'][number]

const perMinute = { key: [], window: '1m' } as const
const enforced: readonly Rule[] = [
  { id: 'all', ...perMinute, limit: 8 },
  { id: 'failed', ...perMinute, limit: 3, counts: 'failures' },
  { id: 'points', ...perMinute, limit: 2, over: { tag: 'no-points' } },
]

/** Rules on trial that deny, refuse, exempt, delay, count by outcome, reset, or cannot be decided. */
const shadows: readonly Rule[] = [
  { id: 's-deny', ...perMinute, limit: 0, shadow: true },
  { id: 's-group', ...perMinute, limit: 0, over: { deny: { status: 503 } }, shadow: true },
  { id: 's-delay', ...perMinute, limit: 1, over: { delay: '20s' }, shadow: true },
  { id: 's-failed', ...perMinute, limit: 1, counts: 'failures', resetOn: 'success', shadow: true },
  { id: 's-tag', ...perMinute, limit: 0, over: { tag: 'other' }, shadow: true },
  { id: 's-lease', key: [], policy: { kind: 'concurrency', limit: 1, lease: '1m' }, shadow: true },
  { id: 's-refuse', then: 'deny', shadow: true },
  { id: 's-allow', then: 'allow', shadow: true },
  { id: 's-known', then: { tag: 'known' }, shadow: true },
  { id: 's-error', key: 'user', limit: 1, window: '1m', shadow: true },
]

/** Rules on trial that wait for a value. */
const waiting: readonly Rule[] = [
  { id: 's-late-key', key: 'tenant', limit: 1, window: '1m', shadow: true },
  { id: 's-late-refuse', when: { tenant: 'acme' }, then: 'deny', shadow: true },
]

describe.each([express[1], koa[1], fastify[0], ...nestjs])('$name', (adapter) => {
  test.each([
    ['at once', shadows],
    ['never', [...waiting, ...shadows]],
  ])(
    'no rule on trial that is judged %s changes a status, a header, a body, a count or a latency',
    async (_, onTrial) => {
      const clock = (): number => 1_763_683_200_000
      const ports = await Promise.all(
        [enforced, [...onTrial, ...enforced]].map(async (rules) => {
          const declared = { user: 'string', tenant: 'string?' } as const
          const document = { version: 1, name: 'shadow', values: declared, rules } as const
          const loaded = await loadRules({
            source: staticSource(document),
            // A request that waited for the tenant would never be answered.
            values: { user: () => undefined, tenant: () => new Promise(() => {}) },
            clock,
          })
          const served = await adapter.serve({
            options: () => ({ rules: loaded, clock }),
            proxies: 0,
            place: 'app',
            handling: 'application',
            first: () => {},
            failed: (error) => ({ status: 500, type: 'text/plain', body: String(error) }),
            handle: ({ header, decision }) => ({
              status: Number(header('x-answer')),
              type: 'application/json',
              body: JSON.stringify(decision ?? null).replace(/"rules":"\w+"/, ''),
            }),
          })
          onTestFinished(() => served.close())
          return served.port
        }),
      )
      const statuses: number[] = []
      for (const answer of [200, 401, 200, 500, 404, 200, 200, 200, 200, 200]) {
        const [expected, actual] = await Promise.all(
          ports.map(async (port) => {
            const sent = await sendTarget(port, '/', { lines: `x-answer: ${answer}\r\n` })
            const fields = ['ratelimit', 'ratelimit-policy', 'retry-after'].map(sent.header)
            return { status: sent.status, body: sent.body, fields }
          }),
        )
        expect(actual).toEqual(expected)
        statuses.push(actual.status)
      }
      expect(statuses).toEqual([200, 401, 200, 500, 404, 429, 429, 429, 429, 429])
    },
  )
})
