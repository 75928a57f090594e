import { fixedWindow, gcra, slidingLog } from '@sluice/core'
import { byHeader, byIp, firstOf, type RateLimitOptions } from '@sluice/core/http'
import { express, fastify, koa, nestjs } from '@sluice/conformance/adapters'
import { randomFrom } from '@sluice/test-kit/random'
import { loadRules, staticSource, type RulesDocument } from '@sluice/rules'
import { describe, expect, onTestFinished, test } from 'vitest'
import { sendTarget } from './targets.js'

type Options = Partial<RateLimitOptions<unknown, never>>

const perMinute = { limit: 5, window: '1m' } as const

/** The options of a limit, and the equivalent rule. */
const pairs: readonly (readonly [string, Options, Partial<RulesDocument['rules'][number]>])[] = [
  ['limit and window', perMinute, { ...perMinute, key: 'ip' }],
  [
    'an algorithm',
    { ...perMinute, algorithm: fixedWindow },
    { ...perMinute, algorithm: 'fixedWindow' },
  ],
  ['a log', { ...perMinute, algorithm: slidingLog }, { ...perMinute, algorithm: 'slidingLog' }],
  [
    'a policy',
    { policies: gcra({ limit: 10, window: '1m', burst: 3 }) },
    { policy: { kind: 'gcra', limit: 10, window: '1m', burst: 3 } },
  ],
  ['byIp', { ...perMinute, key: byIp() }, { ...perMinute, key: 'ip' }],
  [
    'byHeader',
    { ...perMinute, key: firstOf(byHeader('X-Key'), byIp()) },
    { ...perMinute, key: { first: ['header.x-key', 'ip'] } },
  ],
  ['one key', { ...perMinute, key: () => 'all' }, { ...perMinute, key: [] }],
  ['a cost', { ...perMinute, cost: 2 }, { ...perMinute, cost: 2 }],
  ['failures', { ...perMinute, count: 'failures' }, { ...perMinute, counts: 'failures' }],
  ['successes', { ...perMinute, count: 'successes' }, { ...perMinute, counts: 'successes' }],
  [
    'failures until a success',
    { ...perMinute, count: 'failures', resetOn: 'success' },
    { ...perMinute, counts: 'failures', resetOn: 'success' },
  ],
  [
    'a status',
    { ...perMinute, statusCode: 503, body: { later: true } },
    { ...perMinute, over: { deny: { status: 503, body: { later: true } } } },
  ],
]

/** Each pair on Express, and on one of the other frameworks. */
const others = [koa[1], fastify[0], nestjs[0]].map((adapter, i) => ({
  adapter,
  name: adapter.name,
  own: pairs.filter((_, j) => j % 3 === i),
}))
const servers = [{ adapter: express[1], name: express[1].name, own: pairs }, ...others]

describe.each(servers)('$name', ({ adapter, own }) => {
  test.each(own)('%s: a rule decides as the option does', async (_what, options, rule) => {
    const next = randomFrom(1)
    const below = (bound: number): number => Math.floor(next() * bound)
    let now = 1_763_683_200_000
    const clock = (): number => now
    // A limit without a name of its own has that of its limiter, and a rule has its id.
    const name = 'same'
    const rules = await loadRules({
      source: staticSource({ version: 1, name, rules: [{ id: name, ...rule }] }),
      clock,
    })
    const ports = await Promise.all(
      [
        { name, clock, ...options },
        { rules, clock },
      ].map(async (given) => {
        const served = await adapter.serve({
          options: () => given as never,
          proxies: 0,
          place: 'app' as const,
          handling: 'application' as const,
          first: () => {},
          failed: (error) => ({ status: 500, type: 'text/plain', body: String(error) }),
          handle: ({ header }) => ({
            status: Number(header('x-answer')),
            type: 'text/plain',
            body: 'hello',
          }),
        })
        onTestFinished(() => served.close())
        return served.port
      }),
    )
    for (let i = 0; i < 40; i++) {
      now += below(9000)
      const answer = [200, 200, 401, 500][below(4)]
      const key = ['a', 'b', ''][below(3)]
      const lines = `x-answer: ${answer}\r\n${key === '' ? '' : `x-key: ${key}\r\n`}`
      const [expected, actual] = await Promise.all(
        ports.map(async (port) => {
          const { status, header, body } = await sendTarget(port, '/', { lines })
          const fields = ['ratelimit', 'ratelimit-policy', 'retry-after', 'content-type']
          return { i, status, body, fields: fields.map(header) }
        }),
      )
      expect(actual).toEqual(expected)
    }
  })
})
