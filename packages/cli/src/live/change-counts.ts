import type { Keys, Limiter, PolicyChoice } from '@sluice/core'
import type { LimiterCall } from './known-limiter.js'
import { stillBlocked, type Act } from './target.js'

/** Changes the counts that calls of a limiter concern. */
export async function changeCounts(
  limiter: Limiter,
  calls: readonly LimiterCall[],
  act: Act,
): Promise<void> {
  if (act.act === 'penalize' && calls.length > 1) {
    const reasons = new Set(calls.flatMap(({ variants }) => Object.values(variants)))
    const known = [...reasons].filter((reason) => reason !== undefined).join(', ')
    throw new Error(
      `the units of a penalty depend on the limit. Choose one with --variant: ${known}`,
    )
  }
  // A plan without a limit has no state.
  const counting = calls.filter(({ countsNothing }) => !countsNothing)
  for (const { keys, options } of counting.length === 0 ? calls : counting) {
    await change(limiter, keys, options, act)
  }
}

async function change(
  limiter: Limiter,
  keys: Keys,
  options: PolicyChoice | undefined,
  act: Act,
): Promise<void> {
  switch (act.act) {
    case 'block':
      return limiter.block(keys, act.length, options)
    case 'unblock':
      return limiter.unblock(keys, options)
    case 'penalize':
      return limiter.penalize(keys, act.units, options)
    case 'reset': {
      const { unblock } = act
      if (await limiter.reset(keys, { ...options, unblock })) return undefined
      throw new Error(stillBlocked)
    }
    case 'exempt':
      return limiter.exempt(keys, act.length, options)
    case 'unexempt':
      return limiter.unexempt(keys, options)
    case 'grant':
      return limiter.grant(keys, act.units, { ...options, for: act.length })
    case 'ungrant':
      return limiter.ungrant(keys, options)
  }
}
