import { setImmediate as turn } from 'node:timers/promises'
import { concurrency } from '@sluice/core'
import { expect, test } from 'vitest'
import { sluiceError } from '../../../src/errors.js'
import type { Calls } from '../../../src/stores/redis/calls.js'
import type { TargetOf } from '../../../src/stores/redis/compiled-policies.js'
import { allowed, asker, denied, general, recorder, request } from './held-store.js'
import { pipelineOver } from '../pipeline/stub-store.js'

const oneTarget: TargetOf = () => general

function keysFrom(first: number, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${first + i}`)
}

test('a request is sent at once if no other is pending', () => {
  const { store, calls } = recorder()
  const { ask } = asker(pipelineOver(store, { targetOf: oneTarget }))
  ask(request('a'))
  expect(calls).toEqual([['a']])
})

test('requests of one turn of the event loop are sent in their order at its end while a call is pending, and do not wait for that call', async () => {
  const { store, calls, answer } = recorder()
  const { ask, answered } = asker(pipelineOver(store, { targetOf: oneTarget }))
  for (const key of ['a', 'b', 'denied', 'b']) ask(request(key))
  expect(calls).toEqual([['a']])
  await turn()
  expect(calls).toEqual([['a'], ['b', 'denied'], ['b']])
  for (let i = 0; i < 3; i++) answer()
  expect(answered).toEqual(['a', 'b', 'denied', 'b'])
})

test('a request does not wait for calls that are pending since earlier turns', async () => {
  const { store, calls, answer } = recorder()
  const { ask, answered } = asker(pipelineOver(store, { targetOf: oneTarget }))
  const keys = ['a', 'b', 'c']
  for (const key of keys) {
    ask(request(key))
    for (let turns = 0; turns < 5; turns++) await turn()
  }
  expect(calls).toEqual([['a'], ['b'], ['c']])
  for (let i = 0; i < 3; i++) answer()
  expect(answered).toEqual(keys)
})

test('each request of a list has its own answer', async () => {
  const { store, answer } = recorder()
  const given = pipelineOver(store, { targetOf: oneTarget }).run(
    ['a', 'denied', 'b'].map((key) => request(key)),
  )
  for (let i = 0; i < 2; i++) answer()
  expect(await given).toEqual([allowed, denied, allowed])
})

test('a call takes half of the waiting and pending requests, and at least 2', async () => {
  const { store, calls } = recorder()
  const { ask } = asker(pipelineOver(store, { targetOf: oneTarget }))
  ask(request('first'))
  for (const key of keysFrom(0, 39)) ask(request(key))
  await turn()
  for (const key of keysFrom(39, 3)) ask(request(key))
  await turn()
  expect(calls.map((keys) => keys.length)).toEqual([1, 20, 19, 3])
  expect(calls.slice(1).flat()).toEqual(keysFrom(0, 42))
})

test('a call has at most 128 requests, and a longer list is answered as a whole', async () => {
  const { store, calls, answer } = recorder()
  const given = pipelineOver(store, { targetOf: oneTarget }).run(
    keysFrom(0, 1000).map((key) => request(key)),
  )
  expect(calls.map((keys) => keys.length)).toEqual([...Array(7).fill(128), 104])
  expect(calls.flat()).toEqual(keysFrom(0, 1000))
  for (let i = 0; i < 8; i++) answer()
  expect(await given).toEqual(Array.from({ length: 1000 }, () => allowed))
})

test('a call has fewer requests if each of them reads a body', () => {
  const { store, calls } = recorder()
  const { ask } = asker(pipelineOver(store, { targetOf: oneTarget }))
  const leases = concurrency({ limit: 5, lease: '1m' })
  ask(...keysFrom(0, 256).map((key) => request(key, leases)))
  expect(calls.map((keys) => keys.length)).toEqual(Array(8).fill(32))
})

test('an error is the answer of the request that it belongs to', async () => {
  const failed = sluiceError('SLUICE_STORE_FAILED', 'redis', 'WRONGTYPE')
  const { store, answer } = recorder()
  const given = pipelineOver(store, { targetOf: oneTarget }).run([request('a'), request('bad')])
  answer([allowed, failed])
  expect(await given).toEqual([allowed, failed])
})

test('an empty list has an empty answer', async () => {
  const { store, calls } = recorder()
  expect(await pipelineOver(store, { targetOf: oneTarget }).run([])).toEqual([])
  expect(calls).toEqual([])
})

test.each([
  ['calls', allowed],
  ['the deny cache', denied],
])('a loop of requests that %s answer at once does not block the event loop', async (_, given) => {
  const store: Calls = {
    send: (requests, _target, done) => done(requests.map(() => given)),
    ping: async () => true,
  }
  const batching = pipelineOver(store, { targetOf: oneTarget })
  const turned = { yet: false }
  setImmediate(() => (turned.yet = true))
  for (let asked = 0; asked < 1000 && !turned.yet; asked++) await batching.run([request('a')])
  expect(turned.yet).toBe(true)
})
