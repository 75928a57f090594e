import { expect, test } from 'vitest'
import { countsOf } from '../../src/check/index.js'
import { compiled } from '../compiled.js'

const document = `version: 1
name: shop
values: { user: string?, plan: [free, pro] }
rules:
  - { id: health, when: { path: /health }, then: allow }
  - { id: address, key: ip, limit: 300, window: 1m }
  - id: api
    key: { first: [user, ip] }
    limit: { by: plan, free: 60, pro: 600 }
    window: 1m
    overrides: { of: user, entries: { acme: 20000 } }
  - id: files
    key: [user, path]
    policies:
      minute: { kind: gcra, limit: 5, window: 1m }
      hour: { kind: fixedWindow, limit: 50, window: 1h }
  - { id: all, key: [], limit: 9000, window: 1m }
  - { id: old, enabled: false, key: ip, limit: 1, window: 1m }
  - { id: login, count: attempts, when: { path: /login }, key: ip, limit: 5, window: 1h }
  - { id: signup, count: attempts, when: { path: /signup }, key: ip, limit: 3, window: 1h }
`

const counts = countsOf(await compiled(document))

test('names the counts of all rules that are enabled, each once, with their rules', () => {
  expect(counts.map(({ name, rules }) => [name, rules])).toEqual([
    ['address', ['address']],
    ['api', ['api']],
    ['files.minute', ['files']],
    ['files.hour', ['files']],
    ['all', ['all']],
    ['attempts', ['login', 'signup']],
  ])
})

test('has each limit among which a rule chooses, with the reason', () => {
  const limits = counts.map(({ limits }) =>
    limits.map(({ policy, reason }) => ['limit' in policy ? policy.limit : undefined, reason]),
  )
  expect(limits).toEqual([
    [[300, undefined]],
    [
      [60, 'plan free'],
      [600, 'plan pro'],
    ],
    [[5, undefined]],
    [[50, undefined]],
    [[9000, undefined]],
    [
      [5, 'rule login'],
      [3, 'rule signup'],
    ],
  ])
  expect(counts.filter(({ hasOverrides }) => hasOverrides).map(({ name }) => name)).toEqual(['api'])
})

test('has equal limits of several rules once', async () => {
  const rules = await compiled(document.replace('limit: 3,', 'limit: 5,'))
  const count = countsOf(rules).find(({ name }) => name === 'attempts')
  expect(count?.limits.map(({ reason }) => reason)).toEqual([undefined])
})

test.each([
  [['ip:203.0.113.9'], ['address', 'api', 'attempts']],
  [['user', 'ip:203.0.113.9'], ['api']],
  [['user', 'acme'], ['api']],
  [
    ['user', 'acme', 'path', '/a'],
    ['files.minute', 'files.hour'],
  ],
  [['user', 'acme', '/a', 'path'], []],
  [['user', 'acme', 'path', '/a', 'more'], []],
  [['203.0.113.9'], []],
  [['all'], ['all']],
  [['all', 'all'], []],
])('the key %j can be counted by %j', (parts, names) => {
  expect(counts.filter((count) => count.fits(parts)).map(({ name }) => name)).toEqual(names)
})
