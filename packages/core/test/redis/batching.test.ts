import { setImmediate as turn } from 'node:timers/promises'
import { concurrency, fixedWindow, type AsyncStore, type Policy } from '@sluice/core'
import { expect, test } from 'vitest'
import { bindPolicies } from '../../src/limiter/bound-policies.js'
import { sluiceError } from '../../src/errors.js'
import { withBatching, type LaneOf } from '../../src/stores/layers/batching.js'
import type { Answer, StoreRequest } from '../../src/stores/store.js'

const window = fixedWindow({ limit: 5, window: '1m' })

function request(key: string, policy: Policy = window): StoreRequest {
  const entries = bindPolicies('api', policy)
  const lease = { id: '', owner: '' }
  return { verb: 'consume', entries, keys: [key], cost: 1, now: undefined, lease }
}

const oneLane: LaneOf = () => 0

const allowed: Answer = { allowed: true, states: [] }
const denied: Answer = { allowed: false, states: [] }

/** Notes the keys of each call. Denies who is called so. */
function recorder(): AsyncStore & { readonly calls: string[][] } {
  const calls: string[][] = []
  return {
    async: true,
    calls,
    async run(requests) {
      calls.push(requests.map(({ keys }) => keys[0]))
      return requests.map(({ keys }) => (keys[0] === 'denied' ? denied : allowed))
    },
    ping: async () => true,
    close: async () => {},
  }
}

function keysFrom(first: number, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${first + i}`)
}

test('what is asked in one turn of the loop travels in one call, in its order', async () => {
  const store = recorder()
  const batching = withBatching(store, oneLane)
  const asked = [['a'], ['denied', 'b'], ['a']].map((keys) =>
    batching.run(keys.map((key) => request(key))),
  )
  expect(store.calls).toEqual([])
  expect(await Promise.all(asked)).toEqual([[allowed], [denied, allowed], [allowed]])
  expect(store.calls).toEqual([['a', 'denied', 'b', 'a']])
})

test('a lone request is sent in the turn in which it was asked', async () => {
  const store = recorder()
  void withBatching(store, oneLane).run([request('a')])
  await turn()
  expect(store.calls).toEqual([['a']])
})

test('what is asked while a call is under way does not wait for it', async () => {
  const store = recorder()
  const batching = withBatching(
    { ...store, run: async (all) => store.run(all).then(forever) },
    oneLane,
  )
  void batching.run([request('a')])
  await turn()
  void batching.run([request('b')])
  await turn()
  expect(store.calls).toEqual([['a'], ['b']])
})

async function forever<T>(_answers: T): Promise<T> {
  return new Promise(() => {})
}

test('128 requests at most travel in one call, and a longer list is answered whole', async () => {
  const store = recorder()
  const batching = withBatching(store, oneLane)
  const long = batching.run(keysFrom(0, 300).map((key) => request(key)))
  const short = batching.run([request('denied')])
  expect(await long).toEqual(Array.from({ length: 300 }, () => allowed))
  expect(await short).toEqual([denied])
  expect(store.calls).toEqual([
    keysFrom(0, 128),
    keysFrom(128, 128),
    [...keysFrom(256, 44), 'denied'],
  ])
})

test('each lane has calls of its own, in its order, and no list waits in one for a lane that does not answer', async () => {
  const store = recorder()
  const answersOf = async (all: readonly StoreRequest[]) => {
    const answers = await store.run(all)
    return all[0].keys[0].startsWith('dead') ? forever(answers) : answers
  }
  const laneOf: LaneOf = ({ keys: [key] }) => ({ dead: 1, live: 2 })[key.slice(0, 4)]
  const batching = withBatching({ ...store, run: answersOf }, laneOf)
  void batching.run(['dead1', 'live1', 'alone1'].map((key) => request(key)))
  const asked = ['live2', 'alone2'].map((key) => batching.run([request(key)]))
  void batching.run([request('dead2')])
  expect(await Promise.all(asked)).toEqual([[allowed], [allowed]])
  expect(store.calls).toEqual([['dead1', 'dead2'], ['live1', 'live2'], ['alone1'], ['alone2']])
})

test('less travels together where each request has a body to read', async () => {
  const store = recorder()
  const leases = concurrency({ limit: 5, lease: '1m' })
  await withBatching(store, oneLane).run(keysFrom(0, 40).map((key) => request(key, leases)))
  expect(store.calls.map((keys) => keys.length)).toEqual([32, 8])
})

test('an error is the answer of the request that it belongs to', async () => {
  const failed = sluiceError('SLUICE_STORE_FAILED', 'redis', 'WRONGTYPE')
  const store: AsyncStore = {
    ...recorder(),
    run: async (requests) => requests.map(({ keys }) => (keys[0] === 'bad' ? failed : allowed)),
  }
  const batching = withBatching(store, oneLane)
  const asked = ['a', 'bad', 'b'].map((key) => batching.run([request(key)]))
  expect(await Promise.all(asked)).toEqual([[allowed], [failed], [allowed]])
})

test('a list of nothing is answered by nothing', async () => {
  const store = recorder()
  expect(await withBatching(store, oneLane).run([])).toEqual([])
  expect(store.calls).toEqual([])
})
