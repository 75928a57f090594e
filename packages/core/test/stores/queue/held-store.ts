import { fixedWindow, type AsyncStore, type Policy } from '@sluice/core'
import { createServerClock } from '../../../src/clock.js'
import { registerAlgorithms } from '../../../src/algorithms/kinds.js'
import { limiterPolicies } from '../../../src/limiter/limiter-policies.js'
import { PendingRequest, submitOf } from '../../../src/stores/queue/pending.js'
import type { Calls } from '../../../src/stores/redis/calls.js'
import type { Target } from '../../../src/stores/redis/compiled-policies.js'
import type { Answer, StoreRequest } from '../../../src/stores/store.js'

registerAlgorithms()

const window = fixedWindow({ limit: 5, window: '1m' })

export function request(key: string, policy: Policy = window): StoreRequest {
  const policies = limiterPolicies('api', policy)
  const lease = { id: '', owner: '' }
  return { verb: 'consume', policies, keys: [key], cost: 1, now: undefined, lease }
}

/** A target whose requests are sent one by one. */
export function newTarget(): Target {
  return { compiled: undefined, clock: createServerClock() }
}

export const general: Target = newTarget()

export const allowed: Answer = { allowed: true, states: [] }
export const denied: Answer = {
  allowed: false,
  states: [{ row: [1_763_683_200_000, 5], override: undefined, now: 1_763_683_200_000 }],
}

export interface Recorder {
  readonly store: Calls
  /** The keys of each call. */
  readonly calls: string[][]
  /** Answers the first call that has no answer. */
  answer(answers?: readonly Answer[]): void
}

/** Calls that are answered by the test. */
export function recorder(): Recorder {
  const calls: string[][] = []
  const open: (() => void)[] = []
  let given: readonly Answer[] | undefined
  return {
    calls,
    store: {
      send(requests, _target, done) {
        calls.push(requests.map(({ keys }) => keys[0]))
        open.push(() => done(given ?? requests.map(({ keys }) => answerTo(keys[0]))))
      },
      ping: async () => true,
    },
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
  const submit = submitOf(store)
  const ask = (...asked: readonly StoreRequest[]) =>
    submit(
      asked.map((each) => {
        const [key] = each.keys
        return new PendingRequest(each, (answer) => {
          answered.push('allowed' in answer ? key : `${key} ${answer.code}`)
        })
      }),
    )
  return { ask, answered }
}
