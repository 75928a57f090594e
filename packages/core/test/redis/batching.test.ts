import { setImmediate as turn } from 'node:timers/promises'
import { concurrency, type AsyncStore } from '@sluice/core'
import { expect, test } from 'vitest'
import { sluiceError } from '../../src/errors.js'
import { withBatching, type LaneOf } from '../../src/stores/layers/batching.js'
import { storeOf } from '../../src/stores/layers/run.js'
import { allowed, asker, denied, general, recorder, request } from './held-store.js'

const oneLane: LaneOf = () => general

function keysFrom(first: number, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${first + i}`)
}

test('a request is sent at once while no other is under way', () => {
  const { store, calls } = recorder()
  const { ask } = asker(withBatching(store, oneLane))
  ask(request('a'))
  expect(calls).toEqual([['a']])
})

test('what is asked in one turn of the loop while a call is under way is sent at its end, in its order, and does not wait for that call', async () => {
  const { store, calls, answer } = recorder()
  const { ask, answered } = asker(withBatching(store, oneLane))
  for (const key of ['a', 'b', 'denied', 'b']) ask(request(key))
  expect(calls).toEqual([['a']])
  await turn()
  expect(calls).toEqual([['a'], ['b', 'denied'], ['b']])
  for (let i = 0; i < 3; i++) answer()
  expect(answered).toEqual(['a', 'b', 'denied', 'b'])
})

test('of a list, each request gets its own answer', async () => {
  const { store, answer } = recorder()
  const given = withBatching(store, oneLane).run(['a', 'denied', 'b'].map((key) => request(key)))
  for (let i = 0; i < 2; i++) answer()
  expect(await given).toEqual([allowed, denied, allowed])
})

test('a call takes half of what waits and is under way, and 2 at least', async () => {
  const { store, calls } = recorder()
  const { ask } = asker(withBatching(store, oneLane))
  ask(request('first'))
  for (const key of keysFrom(0, 39)) ask(request(key))
  await turn()
  for (const key of keysFrom(39, 3)) ask(request(key))
  await turn()
  expect(calls.map((keys) => keys.length)).toEqual([1, 20, 19, 3])
  expect(calls.slice(1).flat()).toEqual(keysFrom(0, 42))
})

test('128 requests at most travel in one call, and a longer list is answered whole', async () => {
  const { store, calls, answer } = recorder()
  const given = withBatching(store, oneLane).run(keysFrom(0, 1000).map((key) => request(key)))
  expect(calls.map((keys) => keys.length)).toEqual([...Array(7).fill(128), 104])
  expect(calls.flat()).toEqual(keysFrom(0, 1000))
  for (let i = 0; i < 8; i++) answer()
  expect(await given).toEqual(Array.from({ length: 1000 }, () => allowed))
})

test('less travels together where each request has a body to read', () => {
  const { store, calls } = recorder()
  const { ask } = asker(withBatching(store, oneLane))
  const leases = concurrency({ limit: 5, lease: '1m' })
  ask(...keysFrom(0, 256).map((key) => request(key, leases)))
  expect(calls.map((keys) => keys.length)).toEqual(Array(8).fill(32))
})

test('an error is the answer of the request that it belongs to', async () => {
  const failed = sluiceError('SLUICE_STORE_FAILED', 'redis', 'WRONGTYPE')
  const { store, answer } = recorder()
  const given = withBatching(store, oneLane).run([request('a'), request('bad')])
  answer([allowed, failed])
  expect(await given).toEqual([allowed, failed])
})

test('a list of nothing is answered by nothing', async () => {
  const { store, calls } = recorder()
  expect(await withBatching(store, oneLane).run([])).toEqual([])
  expect(calls).toEqual([])
})

test('a loop that is answered by a layer at once lets the event loop turn', async () => {
  const store: AsyncStore = storeOf((requests, done) => done(requests.map(() => denied)), {
    ping: async () => true,
    close: async () => {},
  })
  const batching = withBatching(store, oneLane)
  const turned = { yet: false }
  setImmediate(() => (turned.yet = true))
  for (let asked = 0; asked < 1000 && !turned.yet; asked++) await batching.run([request('a')])
  expect(turned.yet).toBe(true)
})
