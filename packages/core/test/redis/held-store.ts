import { fixedWindow, type AsyncStore, type Policy } from '@sluice/core'
import { registerAlgorithms } from '../../src/algorithms/register.js'
import { bindPolicies } from '../../src/limiter/bound-policies.js'
import { runOf, storeOf, type Lane } from '../../src/stores/layers/run.js'
import type { Answer, StoreRequest } from '../../src/stores/store.js'

registerAlgorithms()

const window = fixedWindow({ limit: 5, window: '1m' })

export function request(key: string, policy: Policy = window): StoreRequest {
  const entries = bindPolicies('api', policy)
  const lease = { id: '', owner: '' }
  return { verb: 'consume', entries, keys: [key], cost: 1, now: undefined, lease }
}

export const general: Lane = {}

export const allowed: Answer = { allowed: true, states: [] }
export const denied: Answer = { allowed: false, states: [] }

export interface Recorder {
  readonly store: AsyncStore
  /** The keys of each call. */
  readonly calls: string[][]
  /** Answers the first call that has no answer. */
  answer(answers?: readonly Answer[]): void
}

/** A store whose calls are answered by the test. */
export function recorder(): Recorder {
  const calls: string[][] = []
  const open: (() => void)[] = []
  let given: readonly Answer[] | undefined
  const there = { ping: async () => true, close: async () => {} }
  return {
    calls,
    store: storeOf((requests, done) => {
      calls.push(requests.map(({ keys }) => keys[0]))
      open.push(() => done(given ?? requests.map(({ keys }) => answerTo(keys[0]))))
    }, there),
    answer(answers) {
      given = answers
      open.shift()?.()
    },
  }
}

function answerTo(key: string): Answer {
  return key.startsWith('denied') ? denied : allowed
}

/** Sends requests to a store, and records the answers. */
export function asker(store: AsyncStore) {
  const answered: string[] = []
  const run = runOf(store)
  const ask = (...asked: readonly StoreRequest[]) =>
    run(asked, (answers) => {
      asked.forEach(({ keys: [key] }, i) => {
        const answer = answers[i]
        answered.push('allowed' in answer ? key : `${key} ${answer.code}`)
      })
    })
  return { ask, answered }
}
