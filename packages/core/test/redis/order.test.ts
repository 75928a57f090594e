import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { sluiceError, sluiceErrorFrom } from '../../src/errors.js'
import type { Calls } from '../../src/stores/redis/calls.js'
import type { LaneOf } from '../../src/stores/redis/batches.js'
import type { Lane } from '../../src/stores/redis/order.js'
import type { StoreRequest } from '../../src/stores/store.js'
import { allowed, asker, general, recorder, request } from './held-store.js'
import { pipelineOver } from '../layers/stub-store.js'

function refund(key: string): StoreRequest {
  return { ...request(key), verb: 'refundReceipt', cost: 1, receipts: [] }
}

describe('lanes', () => {
  const plan: Lane = {}
  const other: Lane = {}
  /** A key says in which lane it is asked: the last letter. */
  const laneOf: LaneOf = ({ verb, keys: [key] }) => {
    if (verb !== 'consume' || key.endsWith('G')) return general
    if (key.endsWith('A')) return undefined
    return key.endsWith('O') ? other : plan
  }

  function lanes() {
    const { store, calls, answer } = recorder()
    return { calls, answer, ...asker(pipelineOver(store, { laneOf })) }
  }

  test('have separate calls, so that no list waits for a lane that does not answer', async () => {
    const { store, calls } = recorder()
    const answersOf: Calls = {
      ...store,
      send(requests, lane, askedAt, done) {
        store.send(requests, lane, askedAt, () => {})
        if (!requests[0].keys[0].startsWith('dead')) done(requests.map(() => allowed))
      },
    }
    const { ask, answered } = asker(pipelineOver(answersOf, { laneOf }))
    ask(request('deadO'))
    for (const key of ['deadO', 'liveD', 'aloneA', 'liveD', 'aloneA']) ask(request(key))
    await turn()
    await turn()
    expect(calls).toEqual([['deadO'], ['aloneA'], ['aloneA'], ['deadO'], ['liveD', 'liveD']])
    expect(answered).toEqual(['aloneA', 'aloneA', 'liveD', 'liveD'])
  })

  test('a request about a key that is pending in another lane is deferred until that one is answered, and later requests about the key with it', async () => {
    const { calls, answer, ask, answered } = lanes()
    ask(request('k'))
    ask(refund('k'))
    ask(request('k'))
    ask(request('l'))
    await turn()
    expect(calls).toEqual([['k'], ['l']])
    ask(request('k'))
    await turn()
    expect(calls).toHaveLength(2)
    answer()
    await turn()
    // The requests after the refund wait for it: in their own lane they could overtake it.
    expect(calls.slice(2)).toEqual([['k']])
    for (let i = 0; i < 2; i++) answer()
    await turn()
    // The two were deferred at different times, so they may be in two calls.
    expect(calls.slice(3).flat()).toEqual(['k', 'k'])
    const sent = calls.length
    for (let i = 3; i < sent; i++) answer()
    expect(answered).toEqual(['k', 'l', 'k', 'k', 'k'])
    ask(request('k'))
    ask(request('l'))
    await turn()
    expect(calls.slice(sent)).toEqual([['k'], ['l']])
  })

  test('a request in one specific lane waits for a request about the same key in another', async () => {
    const byCost: LaneOf = (asked) => ('cost' in asked && asked.cost === 2 ? other : plan)
    const { store, calls, answer } = recorder()
    const { ask } = asker(pipelineOver(store, { laneOf: byCost }))
    ask(request('k'))
    ask({ ...request('k'), verb: 'peek', cost: 2 })
    await turn()
    expect(calls).toEqual([['k']])
    answer()
    await turn()
    expect(calls).toEqual([['k'], ['k']])
  })

  test('a deferred request fails with the call that it waits for if the store does not answer, but a refund is sent', async () => {
    const { calls, answer, ask, answered } = lanes()
    const late = sluiceErrorFrom(new Error('gone'), 'SLUICE_STORE_TIMEOUT', 'redis', 250)
    ask(request('k'))
    ask(refund('k'))
    ask(request('k'))
    await turn()
    answer([late])
    expect(answered).toEqual(['k SLUICE_STORE_TIMEOUT', 'k SLUICE_STORE_TIMEOUT'])
    await turn()
    expect(calls).toEqual([['k'], ['k']])
  })

  test('a deferred request that has failed does not defer later ones', async () => {
    const { calls, answer, ask } = lanes()
    ask(request('k'))
    ask({ ...request('k'), verb: 'penalize', units: 1 })
    ask(request('kG'))
    await turn()
    answer([sluiceErrorFrom(new Error('gone'), 'SLUICE_STORE_TIMEOUT', 'redis', 250)])
    ask(request('k'))
    await turn()
    expect(calls).toEqual([['k'], ['kG'], ['k']])
  })

  test('a deferred request is sent if the call that it waits for fails for its key only', async () => {
    const { calls, answer, ask } = lanes()
    ask(request('k'))
    ask(refund('k'))
    await turn()
    answer([sluiceError('SLUICE_STORE_FAILED', 'redis', 'WRONGTYPE')])
    await turn()
    expect(calls).toEqual([['k'], ['k']])
  })
})
