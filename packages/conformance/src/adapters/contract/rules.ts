import { randomUUID } from 'node:crypto'
import { concurrency, fixedWindow, gcra, type Decision, type Policy } from '@sluice/core'
import type { Ask, Consumption, Judgement, Outcome, Rules } from '@sluice/core/http'
import { describe, expect, test } from 'vitest'
import type { NeutralOptions, Readers } from '../adapter.js'
import type { AppExtras, OpenServer, TestServer } from '../test-server.js'
import { until } from '../until.js'
import { limitFields } from './limit-fields.js'

export function describeRules(open: OpenServer): void {
  describe('rules', () => {
    test('judge each request once, by the request and its view', async () => {
      const views: unknown[] = []
      const server = await serve(open, ({ header }) => (request, { method, url }) => {
        views.push([header(request, 'x-name'), method, url])
        return pass()
      })
      const reply = await server.get({ 'x-name': 'Ann' }, '/items/1?x=1', 'POST')
      expect([reply.status, reply.body, limitFields(reply)]).toEqual([200, 'hello', {}])
      expect(views).toEqual([['Ann', 'POST', '/items/1?x=1']])
      expect(server.verbs).toEqual([])
    })

    test.each(['app', 'route'] as const)(
      'limit the requests to which they apply (%s)',
      async (place) => {
        const day = consumption({ day: { policy: perMinute(2) } })
        const judge: Judge =
          ({ header }) =>
          (request) =>
            header(request, 'x-free') === undefined ? asks({ enforced: [day] }) : pass()
        const server = await serve(open, judge, {}, { place })
        const get = async (headers = {}) => server.get(headers, '/items/1')
        const replies = [await get(), await get(), await get(), await get({ 'x-free': '1' })]
        expect(replies.map(({ status }) => status)).toEqual([200, 200, 429, 200])
        expect(replies.map(({ headers }) => headers['ratelimit'])).toEqual([
          '"day";r=1;t=60',
          '"day";r=0;t=60',
          '"day";r=0;t=60',
          undefined,
        ])
        expect(replies.map(({ headers }) => headers['retry-after'])).toEqual([
          undefined,
          undefined,
          '60',
          undefined,
        ])
        expect(JSON.parse(replies[2].body)).toMatchObject({ 'violated-policies': ['day'] })
      },
    )

    test('leave their decision at the request', async () => {
      const server = await serve(open, () => () => ({
        ...asks({
          enforced: [consumption({ day: { policy: perMinute(9) } })],
          tagging: [
            consumption({
              points: { policy: perMinute(0), outcome: { type: 'tag', tag: 'none' } },
            }),
          ],
          shadow: [consumption({ shadow: { policy: perMinute(0) } })],
        }),
        tags: ['known'],
      }))
      const reply = await server.get({ 'x-answer': 'decision' })
      expect(reply.headers['ratelimit']).toBe('"day";r=8;t=60')
      const decision: Decision = JSON.parse(reply.body)
      expect(decision).toMatchObject({ allowed: true, remaining: 8, applied: ['day', 'points'] })
      expect(decision).toMatchObject({ tags: ['known', 'none'], rules: 'v1' })
      expect(Object.keys(decision.policies)).toEqual(['day', 'points'])
    })

    test('that do not apply leave a decision if there are tags, and none otherwise', async () => {
      const server = await serve(open, ({ header }) => (request) => ({
        ...pass(),
        tags: header(request, 'x-tag') === undefined ? [] : ['known'],
      }))
      const ask = { 'x-answer': 'decision' }
      expect((await server.get(ask)).body).toBe('null')
      const { body } = await server.get({ ...ask, 'x-tag': '1' })
      expect(JSON.parse(body)).toMatchObject({ allowed: true, applied: [], tags: ['known'] })
    })

    test.each<[string, Outcome, number, object]>([
      ['a 403', { type: 'deny', status: 403 }, 403, { title: 'Forbidden', status: 403 }],
      ['a body', { type: 'deny', status: 410, body: { gone: 1 } }, 410, { gone: 1 }],
      [
        'a challenge',
        { type: 'challenge', kind: 'captcha', length: 4 },
        429,
        { title: 'Too Many Requests', status: 429, challenge: { kind: 'captcha', length: 4 } },
      ],
    ])('refuse a request with %s, and ask no store', async (_, outcome, status, body) => {
      const refusal = { type: 'refuse', version: 'v1', tags: [], rule: 'bad', outcome } as const
      const server = await serve(open, () => () => refusal)
      const reply = await server.get()
      expect([reply.status, JSON.parse(reply.body), limitFields(reply)]).toEqual([status, body, {}])
      expect([server.verbs, server.reached, server.errors]).toEqual([[], [], []])
    })

    test('answer a denial as the rule says', async () => {
      const outcome: Outcome = { type: 'deny', status: 503, body: 'later' }
      const server = await serve(
        open,
        () => () => asks({ enforced: [consumption({ day: { policy: perMinute(0), outcome } })] }),
      )
      const { status, body, headers } = await server.get()
      expect([status, body, headers['retry-after']]).toEqual([503, 'later', '1'])
    })

    test('leave a denial to the handler of the application', async () => {
      const told: unknown[] = []
      const outcome: Outcome = { type: 'challenge', kind: 'captcha' }
      const server = await serve(
        open,
        () => () => asks({ enforced: [consumption({ day: { policy: perMinute(0), outcome } })] }),
        {
          onDenied: (decision) => {
            told.push({ ...decision })
            return { status: 401, type: 'text/plain', body: 'solve this' }
          },
        },
      )
      const reply = await server.get()
      expect([reply.status, reply.body]).toEqual([401, 'solve this'])
      expect(told).toMatchObject([{ allowed: false, rule: 'day', outcome, rules: 'v1' }])
    })

    test('let every request continue in a dry run', async () => {
      const server = await serve(
        open,
        ({ header }) =>
          (request) =>
            header(request, 'x-bad') === undefined
              ? asks({ enforced: [consumption({ day: { policy: perMinute(0) } })] })
              : {
                  type: 'refuse',
                  version: 'v1',
                  tags: [],
                  rule: 'bad',
                  outcome: { type: 'deny', status: 403 },
                },
        { dryRun: true },
      )
      const ask = { 'x-answer': 'decision' }
      for (const [headers, rule] of [
        [ask, 'day'],
        [{ ...ask, 'x-bad': '1' }, 'bad'],
      ] as const) {
        const reply = await server.get(headers)
        expect([reply.status, limitFields(reply)]).toEqual([200, {}])
        expect(JSON.parse(reply.body)).toMatchObject({ allowed: false, rule })
      }
    })

    test('delay a request until it is allowed', async () => {
      const one = concurrency({ limit: 1, lease: '10s' })
      const outcome: Outcome = { type: 'delay', maxMs: 10_000 }
      const server = await serve(
        open,
        () => () => asks({ enforced: [consumption({ one: { policy: one, outcome } })] }),
      )
      const first = server.send({ 'x-answer': 'hold' })
      await server.holding(1)
      const second = server.send()
      await until('the second has arrived', () => server.arrived === 2)
      await until('the second waits', () => server.verbs.length >= 2)
      expect(server.reached.length).toBe(1)
      server.letGo()
      expect([(await first.reply).status, (await second.reply).status]).toEqual([200, 200])
      await until('both are released', async () => (await used(server, { one })) === 0)
    })

    test('of a client that leaves during a delay consume nothing', async () => {
      const outcome: Outcome = { type: 'delay', maxMs: 600_000 }
      const policies = { day: gcra({ limit: 1, window: '5m' }) }
      const before = { before: perMinute(9) }
      const server = await serve(
        open,
        () => () =>
          asks({
            enforced: [
              consumption({ before: { policy: before.before } }),
              consumption({ day: { policy: policies.day, outcome } }),
            ],
          }),
      )
      expect((await server.get()).status).toBe(200)
      const leaving = server.send()
      await until('the request waits', () => server.verbs.length >= 4)
      leaving.hangUp()
      await until('it is refunded', async () => (await used(server, before)) === 1)
      await until('it is over', () => server.over === 2)
      expect([await used(server, policies), server.reached.length]).toEqual([1, 1])
      expect(server.errors).toEqual([])
    })

    test('count the outcomes that they name, and reset by a success', async () => {
      const policies = { all: perMinute(9), failed: perMinute(9), reset: perMinute(9) }
      const rules = consumption({
        all: { policy: policies.all },
        failed: { policy: policies.failed, counts: 'failures' },
        reset: { policy: policies.reset, counts: 'failures', resetOnSuccess: true },
      })
      const server = await serve(open, () => () => asks({ enforced: [rules] }))
      for (const [answer, expected] of [
        ['401', [1, 1, 1]],
        ['500', [2, 2, 2]],
        ['200', [3, 2, 0]],
        ['404', [4, 3, 1]],
      ] as const) {
        expect((await server.get({ 'x-answer': answer })).status).toBe(Number(answer))
        await until('it is settled', async () => {
          const { policies: all } = await server.behind().status('all', { policies })
          const found = ['all', 'failed', 'reset'].map((name) => all[name].used)
          return found.join() === expected.join()
        })
      }
    })

    test('fail a request with the error of their judgement', async () => {
      const server = await serve(open, () => () => {
        throw new Error('no such value')
      })
      expect((await server.get()).status).toBe(500)
      expect(server.errors.map(String)).toEqual(['Error: no such value'])
      expect(server.reached).toEqual([])
    })

    test('count in the limiter behind the adapter, which has their name', async () => {
      const policies = { day: perMinute(2) }
      const server = await serve(
        open,
        () => () => asks({ enforced: [consumption({ day: { policy: policies.day } })] }),
      )
      expect((await server.get()).status).toBe(200)
      const limiter = server.behind()
      expect(limiter.name.startsWith('rules ')).toBe(true)
      expect((await limiter.consume('all', { policies })).remaining).toBe(0)
      expect((await server.get()).status).toBe(429)
      await limiter.block('all', '1m', { policies })
      await limiter.reset('all', { unblock: true, policies })
      expect((await server.get()).status).toBe(200)
    })
  })
}

type Judge = <R>(read: Readers<R>) => Rules<R>['judge']

/** Serves an application whose rules have a name of their own. */
async function serve(
  open: OpenServer,
  judge: Judge,
  options: Pick<NeutralOptions<unknown>, 'dryRun' | 'onDenied'> = {},
  extras: AppExtras = {},
): Promise<TestServer> {
  const name = `rules ${randomUUID()}`
  return open((read) => ({ ...options, rules: { name, judge: judge(read) } }), extras)
}

const pass = () => ({ type: 'pass', version: 'v1', tags: [] }) satisfies Judgement

function asks(parts: Partial<Ask>): Ask {
  return { type: 'ask', version: 'v1', tags: [], enforced: [], tagging: [], shadow: [], ...parts }
}

interface OwnRule {
  readonly policy: Policy
  readonly outcome?: Outcome
  readonly counts?: 'failures'
  readonly resetOnSuccess?: boolean
}

/** A consumption of one unit of the key "all", by rules that have the names of their policies. */
function consumption(rules: Readonly<Record<string, OwnRule>>): Consumption {
  const entries = Object.entries(rules)
  const outcome = { type: 'deny', status: 429 } as const
  const usual = { outcome, counts: 'all', resetOnSuccess: false } as const
  return {
    keys: 'all',
    cost: 1,
    policies: Object.fromEntries(entries.map(([name, { policy }]) => [name, policy])),
    rules: new Map(entries.map(([name, own]) => [name, { rule: name, ...usual, ...own }])),
    onDecision: () => {},
    onError: () => {},
  }
}

function perMinute(limit: number): Policy {
  return fixedWindow({ limit, window: '1m' })
}

async function used(
  server: TestServer,
  policies: Readonly<Record<string, Policy>>,
): Promise<number> {
  const status = await server.behind().status('all', { policies })
  return Object.values(status.policies)[0].used
}
