import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { decisionEvents } from '../../src/limiter/events.js'
import {
  createLimiter,
  fixedWindow,
  leakyQueue,
  notLimited,
  type DecisionEvent,
} from '../../src/index.js'
import { errorOf } from '../error-of.js'
import { stubStore } from '../stores/pipeline/stub-store.js'
import { toldOn } from '@sluice/test-kit/told-on'

const policies = fixedWindow({ limit: 1, window: '1h' })

describe('sluice:decision and sluice:denial', () => {
  test('publish each decision with its limiter, keys and cost, and a denial on both channels', () => {
    const decisions = toldOn<DecisionEvent>('sluice:decision')
    const denials = toldOn<DecisionEvent>('sluice:denial')
    const limiter = createLimiter({ name: 'api', policies: { ip: policies, tenant: policies } })
    const keys = { ip: ['10.0.0.1', 'a|b'], tenant: 'x'.repeat(300) }
    const admitted = limiter.consume(keys)
    const denied = limiter.consume(keys, { cost: 3 })
    const counted = { ip: '|10.0.0.1|a%7Cb', tenant: expect.stringMatching(/^%#[0-9a-f]{64}$/) }
    const told = { limiter: 'api', keys: counted, cost: 1, decision: admitted, mode: 'enforced' }
    expect(decisions).toEqual([told, { ...told, cost: 3, decision: denied }])
    expect(denials).toEqual([{ ...told, cost: 3, decision: denied }])
    expect([decisions[0].decision, denials[0].decision]).toEqual([admitted, denied])
  })

  test.each([
    ['memory', undefined],
    ['a store that answers later', stubStore()],
  ])('publish each denial to a subscriber of denials alone, over %s', async (_, store) => {
    const denials = toldOn<DecisionEvent>('sluice:denial')
    const limiter = createLimiter({
      name: 'api',
      policies,
      ...(store === undefined ? {} : { store }),
    })
    const request = { url: '/' }
    await limiter.consume('key')
    const denied = [await limiter.consume('key'), await limiter.consume('key', { request })]
    expect(denials.map(({ decision }) => decision)).toEqual(denied)
    expect(denials.map((event) => event.request)).toEqual([undefined, request])
  })

  test('have the request that the caller passes, and no property "request" without one', async () => {
    const decisions = toldOn<DecisionEvent>('sluice:decision')
    const limiter = createLimiter({
      name: 'api',
      policies: fixedWindow({ limit: 9, window: '1h' }),
    })
    const request = { url: '/' }
    limiter.consume('key', { request })
    await limiter.acquire('key', { request })
    limiter.consume('key')
    expect(decisions.map((event) => event.request === request)).toEqual([true, true, false])
    expect(decisions.map((event) => 'request' in event)).toEqual([true, true, false])
  })

  test('have the request that the caller of acquire passes, whether it is allowed or denied', async () => {
    const decisions = toldOn<DecisionEvent>('sluice:decision')
    const request = { url: '/' }
    const queue = leakyQueue({ leak: 1, every: '1s', maxDelay: '1m' })
    const held = createLimiter({ name: 'held', policies: queue })
    const late = { request, maxWait: 20 }
    expect((await held.acquire('key', late)).allowed).toBe(true)
    expect((await held.acquire('key', late)).allowed).toBe(false)
    const lined = createLimiter({ name: 'lined', policies: fixedWindow({ limit: 1, window: 200 }) })
    const calls = [{ request }, { request }, late].map((options) => lined.acquire('key', options))
    expect((await Promise.all(calls)).map(({ allowed }) => allowed)).toEqual([true, true, false])
    expect(decisions.every((event) => event.request === request)).toBe(true)
  })

  test('have the mode that the caller passes, and "enforced" without one', async () => {
    const decisions = toldOn<DecisionEvent>('sluice:decision')
    const limiter = createLimiter({ name: 'api', policies })
    for (const mode of ['dryRun', 'shadow', 'tagging', 'enforced', undefined] as const) {
      limiter.consume('key', mode === undefined ? {} : { mode })
    }
    await createLimiter({ name: 'api', policies, store: stubStore() }).consume('key', {
      mode: 'shadow',
    })
    limiter.consume('key')
    expect(decisions.map(({ mode }) => mode)).toEqual([
      'dryRun',
      'shadow',
      'tagging',
      'enforced',
      'enforced',
      'shadow',
      'enforced',
    ])
  })

  test.each(['dry run', null, true, 'Shadow'])('a mode %j is an error', (mode) => {
    const limiter = createLimiter({ name: 'api', policies })
    const error = errorOf(() => limiter.consume('key', { mode: mode as 'shadow' }))
    expect(error.code).toBe('SLUICE_OPTION_INVALID')
    expect(error.message).toContain("'enforced', 'dryRun', 'shadow' or 'tagging'")
    expect(limiter.status('key').policies['default'].used).toBe(0)
  })

  test('have an event for each request of a call, without the policies that the key excludes', () => {
    const decisions = toldOn<DecisionEvent>('sluice:decision')
    const limiter = createLimiter({ name: 'api', policies: { ip: policies, tenant: policies } })
    limiter.consumeMany([
      { key: { ip: 'a', tenant: notLimited } },
      { key: { ip: notLimited, tenant: 'b' } },
    ])
    expect(decisions.map(({ keys }) => keys)).toEqual([{ ip: 'a' }, { tenant: 'b' }])
  })

  test('have the source of the decision if the store failed', async () => {
    const decisions = toldOn<DecisionEvent>('sluice:decision')
    const stub = stubStore()
    stub.fail()
    for (const onStoreError of ['local', 'allow', 'deny'] as const) {
      await createLimiter({ name: 'api', policies, store: stub, onStoreError }).consume('key')
    }
    expect(decisions.map(({ decision }) => decision.source)).toEqual(['fallback', 'open', 'closed'])
  })

  test('have no event for calls that make no decision', () => {
    const decisions = toldOn<DecisionEvent>('sluice:decision')
    const limiter = createLimiter({ name: 'api', policies })
    limiter.peek('key')
    limiter.peekMany([{ key: 'key' }])
    limiter.penalize('key', 1)
    limiter.refund('key')
    limiter.block('key', '1m')
    limiter.unblock('key')
    limiter.status('key')
    limiter.reset('key')
    expect(decisions).toEqual([])
  })

  test('build and publish no event without a subscriber', () => {
    const published = [
      vi.spyOn(decisionEvents.decision, 'publish'),
      vi.spyOn(decisionEvents.denial, 'publish'),
    ]
    onTestFinished(() => void vi.restoreAllMocks())
    const limiter = createLimiter({ name: 'api', policies })
    limiter.consume('key')
    limiter.consume('key')
    expect(published.map((spy) => spy.mock.calls.length)).toEqual([0, 0])
    toldOn('sluice:denial')
    limiter.consume('other')
    expect(published.map((spy) => spy.mock.calls.length)).toEqual([0, 0])
  })

  test('have the name "__proto__" of a policy like any other name', () => {
    const decisions = toldOn<DecisionEvent>('sluice:decision')
    const named = JSON.parse(`{ "__proto__": ${JSON.stringify(policies)} }`)
    createLimiter({ name: 'api', policies: named }).consume('key')
    expect(Object.entries(decisions[0].keys)).toEqual([['__proto__', 'key']])
  })
})

test.each([
  ['without `process`', 'delete globalThis.process'],
  ['without the module in `process`', 'process.getBuiltinModule = () => undefined'],
  ['without `process.getBuiltinModule`', 'process.getBuiltinModule = undefined'],
])('%s nothing is published, and the limiter decides', async (_, act) => {
  const program = `
    import { subscribe } from 'node:diagnostics_channel'
    let told = 0
    subscribe('sluice:decision', () => told++)
    const { log } = console
    ${act}
    const { createLimiter, fixedWindow } = await import('@sluice/core')
    const limiter = createLimiter({ name: 'api', policies: fixedWindow({ limit: 1, window: '1h' }) })
    const answers = [limiter.consume('key').allowed, limiter.consume('key').allowed]
    log(JSON.stringify([...answers, told]))
  `
  const args = ['--input-type=module', '--eval', program]
  const options = { cwd: import.meta.dirname }
  const { stdout } = await promisify(execFile)(process.execPath, args, options)
  expect(JSON.parse(stdout)).toEqual([true, false, 0])
})
