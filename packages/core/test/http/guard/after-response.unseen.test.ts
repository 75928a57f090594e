import { expect, test, vi } from 'vitest'
import { concurrency, fixedWindow, memoryStore, unlimited } from '../../../src/index.js'
import { createGuard, FetchExchange, type RateLimitOptions } from '../../../src/http/index.js'
import { noHeaders, viewOf, type Handler } from '../visit.js'
import { rejectionOf } from '../../error-of.js'

type Options = RateLimitOptions<object, Handler>

const rate = fixedWindow({ limit: 5, window: '1m' })
const slots = concurrency({ limit: 5, lease: '10s' })
test.each<[string, Options, string]>([
  ['count', { policies: rate, count: 'failures' }, '"count"'],
  ['a function `count`', { policies: rate, count: () => true }, '"count"'],
  ['resetOn', { policies: rate, resetOn: 'success' }, '"resetOn"'],
  ['concurrency', { policies: { rate, slots } }, '"concurrency"'],
  ['concurrency of a plan', { policies: () => slots }, '"concurrency"'],
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

test.each<[string, Options]>([
  ['a limit', { policies: rate }],
  ['a plan', { policies: () => rate }],
  ['a limit that does not apply', { policies: unlimited() }],
])('a check that sees no response decides by %s', async (_, options) => {
  const guard = createGuard<object, Handler>({ key: 'all', ...options })
  const action = await guard.check(viewOf({}), new FetchExchange({}), noHeaders, false)
  expect(action).toMatchObject({ type: 'continue', decision: { allowed: true } })
})
