import type { Limiter, PeekOptions } from '@sluice/core'
import type { Consumption, Judgement } from '@sluice/core/http'

/** A limiter that decides and counts nothing, so that a judgement is carried out by the same code. It waits for nothing either. */
export function peeking(limiter: Limiter): Limiter {
  const { peek, peekMany } = limiter
  return {
    ...limiter,
    consume: (key, options) => peek(key, peekOptions(options)),
    consumeMany: (calls) =>
      peekMany(calls.map((call) => ({ key: call.key, ...peekOptions(call) }))),
    acquire: async (key, options) => peek(key, peekOptions(options)),
    refund: () => false,
  }
}

function peekOptions({ cost = 1, policies }: PeekOptions = {}): PeekOptions {
  return policies === undefined ? { cost } : { cost, policies }
}

/** The judgement without its shadow rules and its statistics, which only requests that count fill. */
export function withoutTraces(judgement: Judgement): Judgement {
  if (judgement.type !== 'ask') return judgement
  const { type, version, tags, enforced, tagging } = judgement
  const parts = { enforced: enforced.map(untraced), tagging: tagging.map(untraced), shadow: [] }
  return { type, version, tags, ...parts }
}

function untraced({ keys, policies, cost, rules }: Consumption): Consumption {
  return { keys, policies, cost, rules, onDecision() {}, onError() {} }
}
