import { describe, expect, test, vi } from 'vitest'
import { fixedWindow, gcra, type DecisionEvent } from '@sluice/core'
import { createGuard } from '@sluice/core/http'
import { requestRules } from '../../src/internal.js'
import { errorOf, rejectionOf } from './error-of.js'
import { toldOn } from '@sluice/test-kit/told-on'
import { asks, consumption, rulesOf } from './judged.js'
import {
  noHeaders,
  fieldsOf,
  response,
  viewOf,
  type Handler,
  type Options,
  type Visit,
} from './visit.js'
import { actionOf, guardBy, guardOf, perMinute, refusal, respond } from './guards.js'

describe('the judgement', () => {
  test('is asked once for each request, with the request and its view', async () => {
    const judge = vi.fn(() => ({ type: 'pass' as const, version: 'v1', tags: [] }))
    const guard = createGuard<Visit, Handler>({ rules: requestRules('rules', judge) })
    const view = viewOf({ user: 'ann' }, { url: '/items?x=1' })
    void (await guard.check(view, response, noHeaders))
    expect(judge.mock.calls).toEqual([[view.raw, view]])
  })

  test('is not asked for a request that is skipped', async () => {
    const judge = vi.fn(() => refusal({ type: 'deny', status: 403 }))
    const guard = createGuard<Visit, Handler>({
      rules: requestRules('rules', judge),
      skip: ({ user }) => user === 'ann',
    })
    expect(await guard.check(viewOf({ user: 'ann' }), response, noHeaders)).toEqual(actionOfPass)
    expect(judge.mock.calls.length).toBe(0)
    expect(await guard.check(viewOf({ user: 'bob' }), response, noHeaders)).toMatchObject({
      type: 'deny',
    })
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
      rules: requestRules('rules', () => {
        throw error
      }),
    })
    await expect(throwing.check(viewOf({}), response, noHeaders)).rejects.toThrow(error)
    const rejecting = guardOf(Promise.reject(error))
    await expect(Promise.resolve(respond(rejecting, response))).rejects.toBe(error)
  })

  test('that is thrown without an error object is an error with a code', async () => {
    const guard = createGuard<Visit, Handler>({
      rules: requestRules('rules', () => {
        // oxlint-disable-next-line typescript/only-throw-error -- an application can throw any value
        throw undefined
      }),
    })
    expect((await rejectionOf(guard.check(viewOf({}), response, noHeaders))).code).toBe(
      'SLUICE_THROWN',
    )
  })
})

const actionOfPass = { type: 'continue', decision: undefined, headers: [] }

describe('a request without limits', () => {
  test('continues without a decision and without headers', async () => {
    expect(await actionOf(guardOf({ type: 'pass', version: 'v1', tags: [] }))).toEqual(actionOfPass)
  })

  test('continues with a decision if it has tags', async () => {
    const action = await actionOf(guardOf({ type: 'pass', version: 'v1', tags: ['known'] }))
    expect(action).toMatchObject({ type: 'continue', headers: [] })
    expect(action.decision).toMatchObject({
      allowed: true,
      tags: ['known'],
      applied: [],
      rules: 'v1',
    })
  })

  test('continues without a decision if only shadow rules are asked', async () => {
    const shadow = consumption({ shadow: { policy: perMinute(0) } })
    expect(await actionOf(guardOf(asks({ shadow: [shadow] })))).toEqual(actionOfPass)
    expect(shadow.told).toEqual(['denied'])
  })
})

test.each([
  ['enforced', {}],
  ['dryRun', { dryRun: true }],
])('the event of each decision has its mode: the request is %s', async (mode, options) => {
  const decisions = toldOn<DecisionEvent>('sluice:decision')
  const judgement = asks({
    enforced: [consumption({ a: { policy: perMinute(3) } })],
    tagging: [consumption({ b: { policy: perMinute(0) } })],
    shadow: [consumption({ c: { policy: perMinute(0) } })],
  })
  await actionOf(guardOf(judgement, options))
  expect(decisions.map((event) => [Object.keys(event.keys)[0], event.mode])).toEqual([
    ['a', mode],
    ['b', 'tagging'],
    ['c', 'shadow'],
  ])
})

describe('headers', () => {
  test('are those of the enforced consumption, and of no other', async () => {
    const judgement = asks({
      enforced: [
        consumption(
          {
            day: { policy: fixedWindow({ limit: 9, window: '1d' }) },
            burst: { policy: perMinute(5) },
          },
          { cost: { day: 1, burst: 2 } },
        ),
      ],
      tagging: [consumption({ points: { policy: perMinute(3) } })],
      shadow: [consumption({ shadow: { policy: perMinute(3) } })],
    })
    expect(fieldsOf(await actionOf(guardOf(judgement)))).toEqual({
      'RateLimit-Policy': '"day";q=9;w=86400, "burst";q=5;w=60',
      RateLimit: '"day";r=8;t=86400, "burst";r=3;t=60',
    })
    expect(fieldsOf(await actionOf(guardOf(judgement, { headers: 'legacy' })))).toEqual({
      'X-RateLimit-Limit': '5',
      'X-RateLimit-Remaining': '3',
      'X-RateLimit-Reset': '60',
    })
  })
})

test('onDecision receives each decision that the application can read', async () => {
  const told: unknown[] = []
  const onDecision: Options['onDecision'] = (_, { allowed, rule }) => told.push([allowed, rule])
  await actionOf(guardBy({ a: { policy: perMinute(1) } }, { onDecision }))
  await actionOf(guardBy({ a: { policy: perMinute(0) } }, { onDecision }))
  await actionOf(guardOf(refusal({ type: 'deny', status: 403 }), { onDecision }))
  await actionOf(guardOf({ type: 'pass', version: 'v1', tags: [] }, { onDecision }))
  expect(told).toEqual([
    [true, undefined],
    [false, 'a'],
    [false, 'bad'],
  ])
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
