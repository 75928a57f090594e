import process from 'node:process'
import { expect, onTestFinished, test, vi } from 'vitest'
import { concurrency, fixedWindow, memoryStore } from '@sluice/core'
import { createGuard, FetchExchange, type RateLimitOptions } from '@sluice/core/http'
import { asks, consumption, rulesOf } from './judged.js'
import { noHeaders, viewOf, type Handler } from './visit.js'
import { rejectionOf } from './error-of.js'

type Options = RateLimitOptions<object, Handler>

const rate = fixedWindow({ limit: 5, window: '1m' })
const slots = concurrency({ limit: 5, lease: '10s' })
const byRule = (rule: Parameters<typeof consumption>[0]['only']): Options => ({
  rules: rulesOf(asks({ enforced: [consumption({ only: rule })] })),
})

test.each<[string, Options, string]>([
  ['a rule that counts failures', byRule({ policy: rate, counts: 'failures' }), 'rule "only"'],
  ['a rule that resets', byRule({ policy: rate, resetOnSuccess: true }), 'rule "only"'],
  ['a rule with concurrency', byRule({ policy: slots }), '"concurrency"'],
  [
    'a tagging rule with concurrency',
    { rules: rulesOf(asks({ tagging: [consumption({ only: { policy: slots } })] })) },
    '"concurrency"',
  ],
  [
    'a shadow rule with concurrency',
    { rules: rulesOf(asks({ shadow: [consumption({ only: { policy: slots } })] })) },
    '"concurrency"',
  ],
])('a check that sees no response refuses %s before it takes a unit', async (_, options, named) => {
  const store = memoryStore()
  const run = vi.spyOn(store, 'run')
  const guard = createGuard<object, Handler>({
    store,
    ...(options.rules === undefined ? { key: 'all' } : {}),
    ...options,
  })
  const check = async (): Promise<unknown> =>
    guard.check(viewOf({}), new FetchExchange({}), noHeaders, false)
  const error = await rejectionOf(check())
  expect([error.code, run.mock.calls.length]).toEqual(['SLUICE_RESPONSE_UNSEEN', 0])
  expect(error.message).toContain(named)
})

test('a check that sees no response does not ask a late shadow rule with concurrency, and warns', async () => {
  const warned: unknown[] = []
  const warn = (warning: Error): void => void warned.push(Reflect.get(warning, 'code'))
  process.on('warning', warn)
  onTestFinished(() => void process.off('warning', warn))
  const store = memoryStore()
  const run = vi.spyOn(store, 'run')
  const lateShadow = Promise.resolve([consumption({ only: { policy: slots } })])
  const rules = rulesOf(asks({ lateShadow }))
  const guard = createGuard<object, Handler>({ store, rules })
  const action = await guard.check(viewOf({}), new FetchExchange({}), noHeaders, false)
  expect(action.type).toBe('continue')
  await vi.waitFor(() => expect(warned).toContain('SLUICE_RESPONSE_UNSEEN'))
  expect(run.mock.calls).toEqual([])
})
