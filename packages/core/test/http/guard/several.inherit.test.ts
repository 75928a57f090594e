import { expect, test } from 'vitest'
import { fixedWindow, gcra, memoryStore } from '../../../src/index.js'
import { createGuard, inherit, type RateLimitOptions } from '../../../src/http/index.js'
import { errorOf } from '../../error-of.js'
import { rulesOf } from '../judged.js'

type Options = RateLimitOptions<unknown, () => string>

const policy = fixedWindow({ limit: 5, window: '1m' })
const store = memoryStore()
const onDenied = () => 'handled'
const rules = rulesOf({ type: 'pass', version: 'v1', tags: [] })

test.each<[string, Options, Options, Options]>([
  [
    'all but the name',
    { limit: 5, window: '1m', name: 'app', store },
    {},
    { limit: 5, window: '1m', store },
  ],
  [
    'the options that the route does not have',
    { limit: 5, window: '1m', headers: ['draft', 'legacy'] },
    { limit: 9 },
    { limit: 9, window: '1m', headers: ['draft', 'legacy'] },
  ],
  [
    'the name of the route',
    { limit: 5, window: '1m', name: 'app' },
    { name: 'mine' },
    { limit: 5, window: '1m', name: 'mine' },
  ],
  [
    'no option that rules decide',
    { limit: 5, window: '1m', key: 'all', count: 'failures', statusCode: 503, store, onDenied },
    { rules },
    { rules, store, onDenied },
  ],
  [
    'no rules if the route has a limit',
    { rules, store },
    { policies: policy },
    { policies: policy, store },
  ],
  [
    'nothing that "policies" excludes',
    { limit: 5, window: '1m', algorithm: gcra, cost: 2 },
    { policies: policy },
    { policies: policy, cost: 2 },
  ],
  [
    'no "policies" if the route has some',
    { policies: policy, cost: 2 },
    { policies: { a: policy } },
    { policies: { a: policy }, cost: 2 },
  ],
  [
    'no "policies" with "limit" and "window"',
    { policies: { a: policy } },
    { limit: 9, window: '1s' },
    { limit: 9, window: '1s' },
  ],
  [
    'no "statusCode" and no "body" with "onDenied"',
    { limit: 5, window: '1m', body: 'no', statusCode: 503 },
    { onDenied },
    { limit: 5, window: '1m', onDenied },
  ],
  [
    'no "onDenied" with "statusCode" and "body"',
    { limit: 5, window: '1m', onDenied },
    { statusCode: 503 },
    { limit: 5, window: '1m', statusCode: 503 },
  ],
])('inherits %s', (_, base, own, all) => {
  const inherited = inherit(base, own)
  expect(inherited).toEqual(all)
  createGuard({ ...inherited, store: memoryStore() })
})

test('treats an undefined option of the route as absent', () => {
  const base: Options = { limit: 5, window: '1m', deny: ['192.0.2.1'], statusCode: 503 }
  const own = { deny: undefined, policies: undefined, onDenied: undefined, skip: undefined }
  expect(inherit(base, own as object)).toStrictEqual(base)
})

test('changes neither object', () => {
  const base: Options = Object.freeze({ limit: 5, window: '1m', name: 'app' })
  const own: Options = Object.freeze({ policies: policy })
  inherit(base, own)
  expect([base, own]).toEqual([{ limit: 5, window: '1m', name: 'app' }, { policies: policy }])
})

test('an option that inherited rules decide is refused', () => {
  const options = inherit<unknown, unknown>({ rules }, { key: 'all' })
  expect(errorOf(() => createGuard(options)).message).toContain('"rules" and "key" exclude')
})
