import type { Policy } from '@sluice/core'
import { isPolicy } from '../output/policy.js'

/** Whether a policy grants leases, which last as long as the request. */
export function hasLeases(policy: Policy): boolean {
  return policy.kind === 'concurrency' || stagesOf(policy).some(hasLeases)
}

/**
 * How long a limit that is used up takes to recover completely, in milliseconds: its window, or the time in which a bucket fills or a queue drains.
 * Infinity for policies to which this does not apply.
 */
export function recoveryMs(policy: Policy): number {
  const numbers: Readonly<Record<string, unknown>> = { ...policy }
  const number = (name: string): number => {
    const value = numbers[name]
    return typeof value === 'number' ? value : Infinity
  }
  switch (policy.kind) {
    case 'gcra':
      return Math.ceil((number('burst') * number('window')) / Math.max(1, number('limit')))
    case 'tokenBucket':
      return Math.ceil((number('capacity') * number('every')) / number('refill'))
    case 'leakyBucket':
      return Math.ceil((number('capacity') * number('every')) / number('leak'))
    case 'leakyQueue':
      return Math.ceil(number('maxDelay') + number('every') / number('leak'))
    case 'staged':
      return Math.min(...stagesOf(policy).map(recoveryMs))
    default:
      return number('window')
  }
}

/** The policies within a staged policy. */
function stagesOf(policy: Policy): readonly Policy[] {
  return Object.values(policy).filter(isPolicy)
}
