import { createLimiter, type Decision, type Store } from '@sluice/core'
import type { Admission, ModelAnswer } from '../models/model.js'
import type { Followed } from '../samples/sample.js'
import { costOf, moved, nothingSaid, type Step } from './traffic.js'

/** A request, the limiter's answer, and the answer by the definition. */
export interface Answered {
  readonly now: number
  readonly cost: number
  readonly verb: 'consume' | 'peek'
  readonly decision: Decision
  readonly expected: ModelAnswer
}

/** Sends the same traffic, on one key, to a limiter over this store and to the policy's model. */
export async function follow(
  sample: Followed,
  store: Store,
  name: string,
  start: number,
  traffic: readonly Step[],
): Promise<readonly Answered[]> {
  let now = start
  let last = nothingSaid
  const model = sample.createModel()
  const limiter = createLimiter({ name, policies: sample.policy, store, clock: () => now })
  const answered: Answered[] = []
  for (const { move, cost: share, verb } of traffic) {
    now = moved(now, move, sample.windowMs, last)
    const cost = costOf(share, sample.quota, last)
    if (verb === 'penalize') {
      model.penalize(now, cost)
      await limiter.penalize('key', cost)
      continue
    }
    const expected = model[verb](now, cost)
    // The model has no id of a lease.
    const { lease: _lease, ...decision } = await limiter[verb]('key', { cost })
    answered.push({ now, cost, verb, decision: withoutDebt(decision), expected })
    last = expected
  }
  return answered
}

/** The same decision with `used` as in the models. */
function withoutDebt(decision: Decision): Decision {
  const { default: verdict } = decision.policies
  const used = Math.min(verdict.used, verdict.limit)
  return { ...decision, policies: { default: { ...verdict, used } } }
}

/** The decision of a limiter with one policy, from the verdict of its model. */
export function decisionFrom(expected: ModelAnswer): Decision {
  const { used: _used, nextMs: _next, ...numbers } = expected
  const deniedBy = expected.allowed ? [] : ['default']
  return { ...numbers, deniedBy, policies: { default: expected }, source: 'store' }
}

/** The admissions, in order. */
export function admissionsIn(answered: readonly Answered[]): readonly Admission[] {
  return answered
    .filter(({ verb, decision }) => verb === 'consume' && decision.allowed)
    .map(({ now, cost }) => ({ at: now, cost }))
}
