import type { Limiter, PeekOptions } from '@sluice/core'
import type { Ask, Consumption, Judgement } from '@sluice/core/http'

/** A limiter whose `consume` and `acquire` only peek. The code that carries out a judgement can then peek at it, without a wait. */
export function peeking(limiter: Limiter): Limiter {
  const { peek, peekMany } = limiter
  return {
    ...limiter,
    consume: (key, options) => peek(key, peekOptions(options)),
    consumeMany: (calls) =>
      peekMany(calls.map((call) => ({ key: call.key, ...peekOptions(call) }))),
    acquire: async (key, options) => peek(key, peekOptions(options)),
  }
}

function peekOptions({ cost = 1, policies }: PeekOptions = {}): PeekOptions {
  return policies === undefined ? { cost } : { cost, policies }
}

/** The judgement without its shadow rules and its statistics, which include only counted requests. */
export function withoutTraces(judgement: Judgement): Judgement {
  if (judgement.type !== 'ask') return judgement
  const { type, version, tags, applied, tagging } = judgement
  const [first] = judgement.enforced
  const enforced: Ask['enforced'] = first === undefined ? [] : [untraced(first)]
  return { type, version, tags, applied, enforced, tagging: tagging.map(untraced), shadow: [] }
}

function untraced({ keys, policies, cost, rules }: Consumption): Consumption {
  return { keys, policies, cost, rules }
}
