import type { Decision } from '@sluice/core'
import type { LimitCheck } from './match.js'

/**
 * The longest delay of a check if it is the same for all its rules. Such a check waits from the start, in the order of the requests for its key; another one
 * has to be denied first, because only a denial shows which of its rules deny.
 */
export function delayOfAll({ rules }: LimitCheck): number | undefined {
  const delays = new Set(
    Array.from(rules.values(), ({ outcome }) =>
      outcome.type === 'delay' ? outcome.maxMs : undefined,
    ),
  )
  const [common] = delays
  return delays.size === 1 ? common : undefined
}

/** How long a denied request may wait: the shortest delay of the rules that deny it. Undefined if one of them does not delay. */
export function delayOfDenial(
  rules: LimitCheck['rules'],
  { deniedBy }: Decision,
): number | undefined {
  let shortest: number | undefined
  for (const policy of deniedBy) {
    const outcome = rules.get(policy)?.outcome
    if (outcome?.type !== 'delay') return undefined
    shortest = Math.min(shortest ?? Infinity, outcome.maxMs)
  }
  return shortest
}
