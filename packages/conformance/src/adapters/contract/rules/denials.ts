import type { Outcome } from '@sluice/rules'
import { expect, test } from 'vitest'
import type { OpenServer } from '../../test-server.js'
import { limitFields } from '../limit-fields.js'
import {
  asks,
  consumption,
  enforced,
  pass,
  perMinute,
  serveRules,
  type Judge,
} from './served-rules.js'

export function describeDenialsByRules(open: OpenServer): void {
  test.each(['app', 'route'] as const)(
    'limit the requests to which they apply (%s)',
    async (place) => {
      const day = consumption({ day: { policy: perMinute(2) } })
      const judge: Judge =
        ({ header }) =>
        (request) =>
          header(request, 'x-free') === undefined ? asks({ enforced: [day] }) : pass()
      const server = await serveRules(open, judge, {}, { place })
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

  test.each<[string, Outcome, number, object]>([
    ['a 403', { type: 'deny', status: 403 }, 403, { title: 'Forbidden', status: 403 }],
    ['a body', { type: 'deny', status: 410, body: { gone: 1 } }, 410, { gone: 1 }],
    [
      'a challenge',
      { type: 'challenge', kind: 'captcha', length: 4 },
      429,
      { title: 'Too Many Requests', status: 429, challenge: { kind: 'captcha', length: 4 } },
    ],
  ])('refuse a request with %s, without a call to the store', async (_, outcome, status, body) => {
    const refusal = { type: 'refuse', version: 'v1', tags: [], rule: 'bad', outcome } as const
    const server = await serveRules(open, () => () => refusal)
    const reply = await server.get()
    expect([reply.status, JSON.parse(reply.body), limitFields(reply)]).toEqual([status, body, {}])
    expect([server.verbs, server.reached, server.errors]).toEqual([[], [], []])
  })

  test('send the response of the rule to a denied request', async () => {
    const outcome: Outcome = { type: 'deny', status: 503, body: 'later' }
    const server = await serveRules(open, enforced({ day: { policy: perMinute(0), outcome } }))
    const { status, body, headers } = await server.get()
    expect([status, body, headers['retry-after']]).toEqual([503, 'later', '1'])
  })

  test('pass a denial to the handler of the application', async () => {
    const denials: unknown[] = []
    const outcome: Outcome = { type: 'challenge', kind: 'captcha' }
    const judge = enforced({ day: { policy: perMinute(0), outcome } })
    const server = await serveRules(open, judge, {
      onDenied: (decision) => {
        denials.push({ ...decision })
        return { status: 401, type: 'text/plain', body: 'solve this' }
      },
    })
    const reply = await server.get()
    expect([reply.status, reply.body]).toEqual([401, 'solve this'])
    expect(denials).toMatchObject([{ allowed: false, rule: 'day', outcome, rules: 'v1' }])
  })

  test('allow every request in a dry run', async () => {
    const server = await serveRules(
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
}
