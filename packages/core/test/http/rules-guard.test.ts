import { EventEmitter } from 'node:events'
import { describe, expect, test, vi } from 'vitest'
import { concurrency, fixedWindow, gcra, leakyQueue, type Policy } from '../../src/index.js'
import {
  createGuard,
  type Action,
  type Ask,
  type NodeResponse,
  type Outcome,
  type Rules,
} from '../../src/http/index.js'
import { errorOf, rejectionOf } from '../error-of.js'
import { asks, consumption, rulesOf, type MadeRule } from './judged.js'
import {
  denialOf,
  fieldsOf,
  handlingOf,
  response,
  start,
  viewOf,
  type Handler,
  type Options,
  type Visit,
} from './visit.js'

const perMinute = (limit: number): Policy => fixedWindow({ limit, window: '1m' })

type Judged = ReturnType<Rules<unknown>['judge']>

/** A guard whose rules judge each request in the same way. */
function guardOf(judgement: Judged, options: Options = {}) {
  return createGuard<Visit, Handler>({ clock: () => start, rules: rulesOf(judgement), ...options })
}

/** A guard that asks one consumption. */
function guardBy(rules: Readonly<Record<string, MadeRule>>, options: Options = {}) {
  return guardOf(asks({ enforced: [consumption(rules)] }), options)
}

type Made = ReturnType<typeof guardOf>

function actionOf(guard: Made, headers = {}): Action<Handler> {
  const action = guard.check(viewOf({}, { headers }), response)
  if (action instanceof Promise) throw new Error('the guard answered by a promise')
  return action
}

/** A response that the test ends. */
class Ending extends EventEmitter {
  statusCode = 200
  headersSent = false
  writableEnded = false

  finish(statusCode: number): void {
    this.statusCode = statusCode
    this.writableEnded = true
    this.emit('finish')
  }

  end(): void {}
}

function respond(guard: Made, answer: NodeResponse): Action<Handler> | Promise<Action<Handler>> {
  return guard.check(viewOf({}), answer)
}

const refusal = (outcome: Outcome) =>
  ({ type: 'refuse', version: 'v1', tags: ['seen'], rule: 'bad', outcome }) as const

describe('the judgement', () => {
  test('is asked once for each request, with the request and its view', () => {
    const judge = vi.fn<Rules<Visit>['judge']>(() => ({ type: 'pass', version: 'v1', tags: [] }))
    const guard = createGuard<Visit, Handler>({ rules: { name: 'rules', judge } })
    const view = viewOf({ user: 'ann' }, { url: '/items?x=1' })
    void guard.check(view, response)
    expect(judge.mock.calls).toEqual([[view.raw, view]])
  })

  test('is not asked for a request that is skipped', () => {
    const judge = vi.fn<Rules<Visit>['judge']>(() => refusal({ type: 'deny', status: 403 }))
    const guard = createGuard<Visit, Handler>({
      rules: { name: 'rules', judge },
      skip: ({ user }) => user === 'ann',
    })
    expect(guard.check(viewOf({ user: 'ann' }), response)).toEqual(actionOfPass)
    expect(judge.mock.calls.length).toBe(0)
    expect(guard.check(viewOf({ user: 'bob' }), response)).toMatchObject({ type: 'deny' })
  })

  test('can be a promise', async () => {
    const judgement = asks({ enforced: [consumption({ day: { policy: perMinute(1) } })] })
    const guard = guardOf(Promise.resolve(judgement))
    const types = [await respond(guard, response), await respond(guard, response)]
    expect(types.map(({ type }) => type)).toEqual(['continue', 'deny'])
  })

  test('that fails is the error of the request', async () => {
    const error = new TypeError('no such value')
    const throwing = createGuard<Visit, Handler>({
      rules: {
        name: 'rules',
        judge() {
          throw error
        },
      },
    })
    expect(() => throwing.check(viewOf({}), response)).toThrow(error)
    const rejecting = guardOf(Promise.reject(error))
    await expect(Promise.resolve(respond(rejecting, response))).rejects.toBe(error)
  })

  test('that is thrown without an error object is an error with a code', () => {
    const guard = createGuard<Visit, Handler>({
      rules: {
        name: 'rules',
        judge() {
          // oxlint-disable-next-line typescript/only-throw-error -- an application can throw any value
          throw undefined
        },
      },
    })
    expect(errorOf(() => guard.check(viewOf({}), response)).code).toBe('SLUICE_THROWN')
  })
})

const actionOfPass = { type: 'continue', decision: undefined, headers: [] }

describe('a request without limits', () => {
  test('continues without a decision and without headers', () => {
    expect(actionOf(guardOf({ type: 'pass', version: 'v1', tags: [] }))).toEqual(actionOfPass)
  })

  test('continues with a decision if it has tags', () => {
    const action = actionOf(guardOf({ type: 'pass', version: 'v1', tags: ['known'] }))
    expect(action).toMatchObject({ type: 'continue', headers: [] })
    expect(action.decision).toMatchObject({
      allowed: true,
      tags: ['known'],
      applied: [],
      rules: 'v1',
    })
  })

  test('continues without a decision if only shadow rules are asked', () => {
    const shadow = consumption({ shadow: { policy: perMinute(0) } })
    expect(actionOf(guardOf(asks({ shadow: [shadow] })))).toEqual(actionOfPass)
    expect(shadow.told).toEqual(['denied'])
  })
})

describe('headers', () => {
  test('are those of all enforced consumptions, and of no other', () => {
    const judgement = asks({
      enforced: [
        consumption({ day: { policy: fixedWindow({ limit: 9, window: '1d' }) } }),
        consumption({ burst: { policy: perMinute(5) } }, { cost: 2 }),
      ],
      tagging: [consumption({ points: { policy: perMinute(3) } })],
      shadow: [consumption({ shadow: { policy: perMinute(3) } })],
    })
    expect(fieldsOf(actionOf(guardOf(judgement)))).toEqual({
      'RateLimit-Policy': '"day";q=9;w=86400, "burst";q=5;w=60',
      RateLimit: '"day";r=8;t=86400, "burst";r=3;t=60',
    })
    expect(fieldsOf(actionOf(guardOf(judgement, { headers: 'legacy' })))).toEqual({
      'X-RateLimit-Limit': '5',
      'X-RateLimit-Remaining': '3',
      'X-RateLimit-Reset': '60',
    })
  })
})

describe('a denial by a limit', () => {
  test('is a 429 with a problem, the headers and the time to retry', () => {
    const guard = guardBy({ day: { policy: perMinute(1) } })
    actionOf(guard)
    const action = denialOf(actionOf(guard))
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
    (_type, outcome) => {
      const guard = guardBy({
        acme: { policy: perMinute(1), outcome, publicName: 'limit' },
        initech: { policy: perMinute(2), outcome, publicName: 'limit-2' },
        all: { policy: perMinute(3), outcome },
      })
      const allowed = fieldsOf(actionOf(guard))
      expect(allowed['RateLimit-Policy']).toBe(
        '"limit";q=1;w=60, "limit-2";q=2;w=60, "all";q=3;w=60',
      )
      expect(allowed['RateLimit']).toBe('"limit";r=0;t=60, "limit-2";r=1;t=60, "all";r=2;t=60')
      const action = denialOf(actionOf(guard))
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

  test('passes the decision to a function of the options', () => {
    const body: Options['body'] = (_visit, { rule, applied }) => `${rule} of ${applied?.join()}`
    const action = denialOf(actionOf(guardBy({ a: { policy: perMinute(0) } }, { body })))
    expect(action.body).toBe('a of a')
  })

  test('calls the handler of the application, whatever the outcome of the rule', () => {
    const onDenied: Handler = () => 'handled'
    const outcome: Outcome = { type: 'challenge', kind: 'captcha' }
    const action = handlingOf(
      actionOf(guardBy({ a: { policy: perMinute(0), outcome } }, { onDenied })),
    )
    expect(action.decision).toMatchObject({ allowed: false, rule: 'a', outcome })
    expect(fieldsOf(action)['Retry-After']).toBe('1')
    expect(action.callHandler((handler) => handler(undefined))).toBe('handled')
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
  ])('responds with %s, without rate limit headers', (_, outcome, status, body) => {
    const action = denialOf(actionOf(guardOf(refusal(outcome), { body: 'of limits' })))
    expect([action.status, Object.keys(fieldsOf(action))]).toEqual([status, ['Content-Type']])
    expect(JSON.parse(action.body)).toEqual(body)
    expect(action.decision).toMatchObject({ allowed: false, rule: 'bad', outcome, tags: ['seen'] })
  })

  test('is plain text for a client that prefers it', () => {
    const action = actionOf(guardOf(refusal({ type: 'deny', status: 403 })), {
      accept: 'text/plain',
    })
    expect(denialOf(action).body).toBe('Forbidden\n')
  })

  test('calls the handler of the application, which may let the request continue', () => {
    const guard = guardOf(refusal({ type: 'deny', status: 403 }), { onDenied: () => 'handled' })
    const action = handlingOf(actionOf(guard))
    expect([action.headers, action.decision.rule]).toEqual([[], 'bad'])
    action.proceed({ getHeader: () => {}, setHeader: () => {}, removeHeader: () => {} })
  })
})

describe('a dry run', () => {
  test('lets every request continue at once, with its decision', () => {
    const delay: Outcome = { type: 'delay', maxMs: 50_000 }
    const queue = leakyQueue({ leak: 1, every: '5s', maxDelay: '10s' })
    for (const guard of [
      guardBy({ day: { policy: perMinute(0), outcome: delay } }, { dryRun: true }),
      guardOf(refusal({ type: 'deny', status: 403 }), { dryRun: true }),
    ]) {
      const action = actionOf(guard)
      expect(action).toMatchObject({ type: 'continue', headers: [], decision: { allowed: false } })
    }
    const queued = guardBy({ queue: { policy: queue } }, { dryRun: true, headers: 'draft' })
    actionOf(queued)
    const action = actionOf(queued)
    expect(action).toMatchObject({ type: 'continue', decision: { allowed: true, delayMs: 5000 } })
    expect(fieldsOf(action)['RateLimit-Policy']).toBe('"queue";q=3;w=15')
  })
})

test('onDecision receives each decision that the application can read', () => {
  const told: unknown[] = []
  const onDecision: Options['onDecision'] = (_, { allowed, rule }) => told.push([allowed, rule])
  actionOf(guardBy({ a: { policy: perMinute(1) } }, { onDecision }))
  actionOf(guardBy({ a: { policy: perMinute(0) } }, { onDecision }))
  actionOf(guardOf(refusal({ type: 'deny', status: 403 }), { onDecision }))
  actionOf(guardOf({ type: 'pass', version: 'v1', tags: [] }, { onDecision }))
  expect(told).toEqual([
    [true, undefined],
    [false, 'a'],
    [false, 'bad'],
  ])
})

test('a client that disconnects during a delay consumes nothing, and receives nothing', async () => {
  const outcome: Outcome = { type: 'delay', maxMs: 70_000 }
  const guard = guardOf(
    asks({
      enforced: [
        consumption({ before: { policy: perMinute(9) } }),
        consumption({ pace: { policy: perMinute(1), outcome } }),
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

describe('after the response', () => {
  const rules: Readonly<Record<string, MadeRule>> = {
    all: { policy: perMinute(9) },
    failures: { policy: perMinute(9), counts: 'failures' },
    successes: { policy: perMinute(9), counts: 'successes' },
  }

  function usedIn(guard: Made, { enforced, tagging, shadow }: Ask): unknown {
    return [...enforced, ...tagging, ...shadow].map(({ policies }) => {
      const status = guard.limiter.status('key', { policies })
      return 'policies' in status
        ? Object.entries(status.policies).map(([name, { used }]) => `${name} ${used}`)
        : 'later'
    })
  }

  test.each([
    [200, ['all 1', 'failures 0', 'successes 1']],
    [404, ['all 1', 'failures 1', 'successes 0']],
  ])('each rule counts the outcomes that it names: %s', async (status, used) => {
    const judgement = asks({ enforced: [consumption(rules)] })
    const guard = guardOf(judgement)
    const answer = new Ending()
    void respond(guard, answer)
    expect(usedIn(guard, judgement)).toEqual([['all 1', 'failures 1', 'successes 1']])
    answer.finish(status)
    await vi.waitFor(() => expect(usedIn(guard, judgement)).toEqual([used]))
  })

  test('tagging and shadow rules count the outcomes that they name, too', async () => {
    const failures = (name: string) =>
      consumption({ [name]: { policy: perMinute(9), counts: 'failures' } })
    const judgement = asks({
      enforced: [failures('a')],
      tagging: [failures('b')],
      shadow: [failures('c')],
    })
    const guard = guardOf(judgement)
    for (const [status, used] of [
      [200, 0],
      [500, 1],
    ] as const) {
      const answer = new Ending()
      void respond(guard, answer)
      answer.finish(status)
      await vi.waitFor(() =>
        expect(usedIn(guard, judgement)).toEqual([[`a ${used}`], [`b ${used}`], [`c ${used}`]]),
      )
    }
  })

  test('a success resets the counts of the rules with that option', async () => {
    const policy = gcra({ limit: 9, window: '1m' })
    const judgement = asks({
      enforced: [
        consumption({ a: { policy, resetOnSuccess: true, counts: 'failures' }, b: { policy } }),
      ],
    })
    const guard = guardOf(judgement)
    for (const [status, used] of [
      [401, ['a 1', 'b 1']],
      [401, ['a 2', 'b 2']],
      [200, ['a 0', 'b 3']],
    ] as const) {
      const answer = new Ending()
      void respond(guard, answer)
      answer.finish(status)
      await vi.waitFor(() => expect(usedIn(guard, judgement)).toEqual([used]))
    }
  })

  test('a denied request that continues resets the counts, and refunds nothing', async () => {
    const judgement = asks({
      enforced: [
        consumption({
          a: { policy: perMinute(1), resetOnSuccess: true },
          b: { policy: perMinute(9), counts: 'failures' },
        }),
      ],
    })
    const guard = guardOf(judgement, { onDenied: () => 'handled' })
    void respond(guard, new Ending())
    const answer = new Ending()
    const action = handlingOf(await respond(guard, answer))
    action.proceed({ getHeader: () => {}, setHeader: () => {}, removeHeader: () => {} })
    answer.finish(200)
    await vi.waitFor(() => expect(usedIn(guard, judgement)).toEqual([['a 0', 'b 1']]))
  })

  test('leases are released, also those of tagging and shadow rules', async () => {
    const leased = (name: string) =>
      consumption({ [name]: { policy: concurrency({ limit: 1, lease: '1m' }) } })
    const judgement = asks({
      enforced: [leased('a')],
      tagging: [leased('b')],
      shadow: [leased('c')],
    })
    const guard = guardOf(judgement)
    expect(guard.holds).toBe(true)
    const answer = new Ending()
    void respond(guard, answer)
    expect(usedIn(guard, judgement)).toEqual([['a 1'], ['b 1'], ['c 1']])
    answer.finish(200)
    await vi.waitFor(() => expect(usedIn(guard, judgement)).toEqual([['a 0'], ['b 0'], ['c 0']]))
  })
})

describe('the options', () => {
  const rules = rulesOf({ type: 'pass', version: 'v1', tags: [] })

  test('the name of the rules is that of the limiter', () => {
    expect(createGuard({ rules }, 'GET /').limiter.name).toBe('rules')
  })

  test.each([
    ['limit', 5],
    ['window', '1m'],
    ['algorithm', gcra],
    ['policy', perMinute(1)],
    ['policies', { a: perMinute(1) }],
    ['name', 'other'],
    ['key', 'all'],
    ['cost', 2],
    ['count', 'failures'],
    ['resetOn', 'success'],
    ['allow', ['10.0.0.1']],
    ['deny', ['10.0.0.1']],
    ['wait', { max: '5s' }],
    ['statusCode', 503],
  ])('"%s" is in the rules', (option, value) => {
    const { code, message } = errorOf(() => createGuard({ rules, [option]: value }))
    expect(code).toBe('SLUICE_OPTIONS_CONFLICT')
    expect(message).toContain(`"rules" and "${option}" exclude each other. The rules decide this`)
  })

  test.each([null, 'rules.yaml', {}, { name: 'a' }, { name: '', judge: () => {} }, () => {}])(
    'refuses %j as rules',
    (wrong) => {
      const options = Object.assign({}, { rules: wrong })
      const { code } = errorOf(() => createGuard(Object(options)))
      expect(code).toBe('SLUICE_OPTION_INVALID')
    },
  )

  test('a direct call has to pass policies', async () => {
    const { limiter } = createGuard({ rules })
    const error = await rejectionOf((async () => limiter.peek('key'))())
    expect(error.code).toBe('SLUICE_POLICIES_MISSING')
    const policies = { day: perMinute(5) }
    expect((await limiter.peek('key', { policies })).remaining).toBe(5)
  })
})
