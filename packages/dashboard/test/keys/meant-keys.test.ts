import { createLimiter, fixedWindow, tokenBucket, type Key, type Policies } from '@sluice/core'
import { expect, test } from 'vitest'
import { meantKeys } from '../../src/keys/meant-keys.js'
import { serveDashboard } from '../served.js'

const hourly = fixedWindow({ limit: 50, window: '1h' })

let made = 0

/** A dashboard of a limiter that has counted these keys. */
async function counted(keys: readonly Key[], options: object = {}, policies: Policies = hourly) {
  const name = `meant-${made++}`
  const limiter = createLimiter({ name, policies })
  const board = await serveDashboard({ limiters: { limiter }, ...options })
  for (const key of keys) limiter.consume(key)
  return { name, limiter, ...board }
}

test.each<[string, Key, string]>([
  ['ada', ['customer', 'ada'], '|customer|ada'],
  ['customer ada', ['customer', 'ada'], '|customer|ada'],
  ['customer:ada', ['customer', 'ada'], '|customer|ada'],
  ['customer/ada', ['customer', 'ada'], '|customer|ada'],
  [' ada ', ['customer', 'ada'], '|customer|ada'],
  ['["customer","ada"]', ['customer', 'ada'], '|customer|ada'],
  ['|customer|ada', ['customer', 'ada'], '|customer|ada'],
  ['42', ['user', 42], '|user|42'],
  ['42', 'user:42', 'user:42'],
  ['user 42', 'user:42', 'user:42'],
  ['ada', ['tenant', 'acme', 'ada'], '|tenant|acme|ada'],
  ['acme ada', ['tenant', 'acme', 'ada'], '|tenant|acme|ada'],
  ['acme', ['tenant', 'acme', 'ada'], '|tenant|acme|ada'],
  ['203.0.113.9', 'ip:203.0.113.9', 'ip:203.0.113.9'],
  ['2001:db8::1', 'ip:2001:db8::/64', 'ip:2001:db8::/64'],
  ['a%b', ['user', 'a%b'], '|user|a%25b'],
])('%j is the key %j', async (text, key, shown) => {
  const board = await counted([key, ['other', 'bob'], 'other:bob'])
  const found = await board.key(board.name, { key: text })
  expect(found).toMatchObject({ key: shown, isCounted: true, policies: [{ used: 1 }] })
})

test('the form of other keys leads to a key that the processes have not collected', () => {
  expect(meantKeys('ada', ['|customer|bob', 'user:7', 'ip:2001:db8::/64'])).toEqual([
    '|customer|ada',
    'user:ada',
  ])
  expect(meantKeys('customer ada', ['|customer|bob', 'user:7'])).toEqual([
    '|customer|ada',
    'customer:ada',
  ])
})

test('a key that is counted by its own text is that key', async () => {
  const board = await counted(['ada', ['customer', 'ada']])
  expect((await board.key(board.name, { key: 'ada' })).key).toBe('ada')
})

test('of several keys none is chosen, and `mask` applies to their texts', async () => {
  const keys = [
    ['customer', 'ada'],
    ['user', 'ada'],
  ] as const
  const board = await counted(keys)
  await expect(board.key(board.name, { key: 'ada' })).rejects.toThrow(
    /SLUICE_VIEW_KEY_AMBIGUOUS.*Enter one of them: \|customer\|ada, \|user\|ada/,
  )
  const masked = await counted(keys, {
    mask: (key: string) => `${key.slice(0, 5)}…`,
    authorize: () => 'read',
  })
  await expect(masked.key(masked.name, { key: 'ada' })).rejects.toThrow('|cust…, |user…')
})

test('a text that means no counted key is a key that was never counted', async () => {
  const board = await counted([['customer', 'ada']])
  const found = await board.key(board.name, { key: 'eve' })
  expect(found).toMatchObject({ key: 'eve', isCounted: false, policies: [{ used: 0 }] })
})

test('a key of a bucket that begins with a part of its tokens is counted only if it was seen', async () => {
  const policies = tokenBucket({ capacity: 10, refill: 1, every: '1h', initial: 2 })
  const board = await counted(['ada'], {}, policies)
  const [eve, ada] = await Promise.all(['eve', 'ada'].map((key) => board.key(board.name, { key })))
  expect(eve).toMatchObject({ isCounted: false, policies: [{ used: 8, remaining: 2 }] })
  expect(ada).toMatchObject({ isCounted: true, policies: [{ used: 9, remaining: 1 }] })
  const act = { limiter: board.name, key: 'eve', act: 'block', length: '1m', reason: 'a test' }
  expect((await board.act(act)).body).toMatchObject({ wasCounted: false })
})

test('an act by a text concerns exactly this key, and so does a lookup that asks for it', async () => {
  const board = await counted([['customer', 'ada']])
  const exact = await fetch(`${board.url}api/key?limiter=${board.name}&exact=%22ada%22`)
  expect(await exact.json()).toMatchObject({ key: 'ada', isCounted: false })
  const act = { limiter: board.name, key: 'ada', act: 'block', length: '1m', reason: 'a test' }
  expect((await board.act(act)).body).toMatchObject({ key: { key: 'ada' }, wasCounted: false })
  expect(board.limiter.consume(['customer', 'ada']).allowed).toBe(true)
})

test('at most 24 keys are looked up', () => {
  const known = Array.from({ length: 100 }, (_, i) => `|form${i}|bob`)
  expect(meantKeys('ada', known).length).toBe(24)
})
