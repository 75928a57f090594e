import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { TargetOf } from '../../../src/stores/redis/compiled-policies.js'
import type { StoreRequest } from '../../../src/stores/store.js'
import { asker, general, newTarget, recorder, request } from './held-store.js'
import { pipelineOver } from '../pipeline/stub-store.js'

const one = newTarget()
const other = newTarget()

/** The last letter of a key names its target. */
const targetOf: TargetOf = ({ verb, keys: [key] }) => {
  if (verb !== 'consume' || key.endsWith('G')) return general
  if (key.endsWith('A')) return undefined
  return key.endsWith('O') ? other : one
}

function targets() {
  const { store, calls, answer } = recorder()
  return { calls, answer, ...asker(pipelineOver(store, { targetOf })) }
}

function penalize(key: string): StoreRequest {
  return { ...request(key), verb: 'penalize', units: 1 }
}

test('each target has calls of its own, and waits for no answer to another', async () => {
  const { calls, answer, ask, answered } = targets()
  for (const key of ['deadO', 'deadO', 'liveD', 'aloneA', 'liveD', 'aloneA']) ask(request(key))
  await turn()
  expect(calls).toEqual([['deadO'], ['aloneA'], ['aloneA'], ['deadO'], ['liveD', 'liveD']])
  for (let i = 0; i < 5; i++) answer()
  expect(answered).toEqual(['deadO', 'aloneA', 'aloneA', 'deadO', 'liveD', 'liveD'])
})

test('calls about a key are sent in the order of its requests, before any is answered', async () => {
  const { calls, ask } = targets()
  ask(request('k'))
  // The requests about `l` have no order relative to those about `k`.
  ask(request('k'), request('l'), penalize('k'), penalize('m'), request('l'), request('k'))
  await turn()
  expect(calls).toEqual([['k'], ['k', 'l'], ['k', 'm'], ['l', 'k']])
  ask(penalize('k'))
  await turn()
  expect(calls.slice(4)).toEqual([['k']])
})
