import { describe, expect, test } from 'vitest'
import { leakyQueue } from '@sluice/core'
import type { Outcome } from '../../src/index.js'
import { asks, consumption } from './judged.js'
import { denialOf, fieldsOf, handlingOf, type Handler, type Options } from './visit.js'
import { actionOf, Ending, guardBy, guardOf, perMinute, refusal, respond } from './guards.js'

describe('a denial by a limit', () => {
  test('is a 429 with a problem, the headers and the time to retry', async () => {
    const guard = guardBy({ day: { policy: perMinute(1) } })
    await actionOf(guard)
    const action = denialOf(await actionOf(guard))
    expect([action.status, fieldsOf(action)]).toEqual([
      429,
      {
        'RateLimit-Policy': '"day";q=1;w=60',
        RateLimit: '"day";r=0;t=60',
        'Retry-After': '60',
        'Content-Type': 'application/problem+json',
      },
    ])
    expect(JSON.parse(action.body)).toMatchObject({ status: 429, 'violated-policies': ['day'] })
    expect(action.decision).toMatchObject({ rule: 'day', applied: ['day'], rules: 'v1', tags: [] })
  })

  test.each<readonly [Outcome['type'], Outcome]>([
    ['deny', { type: 'deny', status: 429 }],
    ['challenge', { type: 'challenge', kind: 'captcha' }],
  ])(
    'by "%s" calls a policy by its public name, and the application by its own',
    async (_type, outcome) => {
      const guard = guardBy({
        acme: { policy: perMinute(1), outcome, publicName: 'limit' },
        initech: { policy: perMinute(2), outcome, publicName: 'limit-2' },
        all: { policy: perMinute(3), outcome },
      })
      const allowed = fieldsOf(await actionOf(guard))
      expect(allowed['RateLimit-Policy']).toBe(
        '"limit";q=1;w=60, "limit-2";q=2;w=60, "all";q=3;w=60',
      )
      expect(allowed['RateLimit']).toBe('"limit";r=0;t=60, "limit-2";r=1;t=60, "all";r=2;t=60')
      const action = denialOf(await actionOf(guard))
      expect(JSON.stringify([action.body, action.headers])).not.toContain('acme')
      expect(JSON.parse(action.body)).toMatchObject({ 'violated-policies': ['limit'] })
      expect(action.decision?.deniedBy).toEqual(['acme'])
    },
  )

  test.each<[string, Outcome, Options, number, string, string]>([
    [
      'the status of the rule',
      { type: 'deny', status: 503 },
      {},
      503,
      'application/problem+json',
      '"status":503',
    ],
    [
      'the text of the rule',
      { type: 'deny', status: 429, body: 'slow down' },
      { body: 'other' },
      429,
      'text/plain; charset=utf-8',
      'slow down',
    ],
    [
      'the object of the rule',
      { type: 'deny', status: 418, body: { e: 1 } },
      {},
      418,
      'application/json',
      '{"e":1}',
    ],
    [
      'the body of the options',
      { type: 'deny', status: 429 },
      { body: 'other' },
      429,
      'text/plain; charset=utf-8',
      'other',
    ],
    [
      'a challenge',
      { type: 'challenge', kind: 'captcha', length: 4 },
      { body: 'other' },
      429,
      'application/problem+json',
      '"challenge":{"kind":"captcha","length":4}',
    ],
    [
      'a 429 after a delay',
      { type: 'delay', maxMs: 1 },
      { dryRun: false },
      429,
      'application/problem+json',
      '"status":429',
    ],
  ])('responds with %s', async (_, outcome, options, status, type, body) => {
    const guard = guardBy({ day: { policy: perMinute(0), outcome } }, options)
    const action = denialOf(await respond(guard, new Ending()))
    expect([action.status, fieldsOf(action)['Content-Type']]).toEqual([status, type])
    expect(fieldsOf(action)['Retry-After']).toBe('1')
    expect(action.body).toContain(body)
  })

  test('passes the decision to a function of the options', async () => {
    const body: Options['body'] = (_visit, { rule, applied }) => `${rule} of ${applied?.join()}`
    const action = denialOf(await actionOf(guardBy({ a: { policy: perMinute(0) } }, { body })))
    expect(action.body).toBe('a of a')
  })

  test('calls the handler of the application, whatever the outcome of the rule', async () => {
    const onDenied: Handler = () => 'handled'
    const outcome: Outcome = { type: 'challenge', kind: 'captcha' }
    const action = handlingOf(
      await actionOf(guardBy({ a: { policy: perMinute(0), outcome } }, { onDenied })),
    )
    expect(action.decision).toMatchObject({ allowed: false, rule: 'a', outcome })
    expect(fieldsOf(action)['Retry-After']).toBe('1')
    expect(await action.callHandler((handler) => handler(undefined))).toBe('handled')
  })
})

describe('a refusal', () => {
  test.each<[string, Outcome, number, object]>([
    ['403', { type: 'deny', status: 403 }, 403, { title: 'Forbidden', status: 403 }],
    [
      'its own status',
      { type: 'deny', status: 451 },
      451,
      { title: 'Unavailable For Legal Reasons', status: 451 },
    ],
    ['its own body', { type: 'deny', status: 403, body: { e: 1 } }, 403, { e: 1 }],
    [
      'a challenge',
      { type: 'challenge', kind: 'captcha' },
      429,
      { title: 'Too Many Requests', status: 429, challenge: { kind: 'captcha' } },
    ],
  ])('responds with %s, without rate limit headers', async (_, outcome, status, body) => {
    const action = denialOf(await actionOf(guardOf(refusal(outcome), { body: 'of limits' })))
    expect([action.status, Object.keys(fieldsOf(action))]).toEqual([status, ['Content-Type']])
    expect(JSON.parse(action.body)).toEqual(body)
    expect(action.decision).toMatchObject({ allowed: false, rule: 'bad', outcome, tags: ['seen'] })
  })

  test('is plain text for a client that prefers it', async () => {
    const action = await actionOf(guardOf(refusal({ type: 'deny', status: 403 })), {
      accept: 'text/plain',
    })
    expect(denialOf(action).body).toBe('Forbidden\n')
  })

  test('calls the handler of the application, which may let the request continue', async () => {
    const guard = guardOf(refusal({ type: 'deny', status: 403 }), { onDenied: () => 'handled' })
    const action = handlingOf(await actionOf(guard))
    expect([action.headers, action.decision.rule]).toEqual([[], 'bad'])
    action.proceed({ removeHeader: () => {} })
  })
})

describe('a dry run', () => {
  test('lets every request continue at once, with its decision', async () => {
    const delay: Outcome = { type: 'delay', maxMs: 50_000 }
    const queue = leakyQueue({ leak: 1, every: '5s', maxDelay: '10s' })
    for (const guard of [
      guardBy({ day: { policy: perMinute(0), outcome: delay } }, { dryRun: true }),
      guardOf(refusal({ type: 'deny', status: 403 }), { dryRun: true }),
    ]) {
      const action = await actionOf(guard)
      expect(action).toMatchObject({ type: 'continue', headers: [], decision: { allowed: false } })
    }
    const queued = guardBy({ queue: { policy: queue } }, { dryRun: true, headers: 'draft' })
    await actionOf(queued)
    const action = await actionOf(queued)
    expect(action).toMatchObject({ type: 'continue', decision: { allowed: true, delayMs: 5000 } })
    expect(fieldsOf(action)['RateLimit-Policy']).toBe('"queue";q=3;w=15')
  })
})

test('a client that disconnects during a delay consumes nothing, and receives nothing', async () => {
  const outcome: Outcome = { type: 'delay', maxMs: 70_000 }
  const guard = guardOf(
    asks({
      enforced: [
        consumption({
          before: { policy: perMinute(9) },
          pace: { policy: perMinute(1), outcome },
        }),
      ],
    }),
  )
  await respond(guard, new Ending())
  const leaving = new Ending()
  const action = respond(guard, leaving)
  setTimeout(() => leaving.emit('close'), 10)
  expect(await action).toMatchObject({ type: 'deny', status: 499, headers: [], body: '' })
  const before = { policies: { before: perMinute(9) } }
  expect((await guard.limiter.peek('key', before)).remaining).toBe(8)
})
