import { millisecondsOf, type Outcome } from '@sluice/core/http'
import type { DenyDeclaration, OverDeclaration, ThenDeclaration } from '../../document/document.js'
import type { Findings } from '../../document/findings.js'
import type { Path } from '../../document/syntax.js'

/** The outcome of a rule with `then`. */
export function thenOutcome(then: Exclude<ThenDeclaration, 'allow'>): Outcome {
  if (then === 'deny') return { type: 'deny', status: 403 }
  if ('deny' in then) return denial(then.deny, 403)
  if ('challenge' in then) return { ...then.challenge, type: 'challenge' }
  return { type: 'tag', tag: then.tag }
}

/** The outcome of a request that is over a limit. Undefined after a finding. */
export function overOutcome(
  over: OverDeclaration,
  path: Path,
  findings: Findings,
): Outcome | undefined {
  if (over === 'deny') return { type: 'deny', status: 429 }
  if ('deny' in over) return denial(over.deny, 429)
  if ('challenge' in over) return { ...over.challenge, type: 'challenge' }
  if ('tag' in over) return { type: 'tag', tag: over.tag }
  const maxMs = millisecondsOf(over.delay)
  if (maxMs !== undefined && maxMs > 0) return { type: 'delay', maxMs }
  const expected = 'the longest delay, such as 5s'
  findings.error([...path, 'delay'], 'SLUICE_RULES_OPTION_INVALID', over.delay, expected)
  return undefined
}

function denial({ status, body }: DenyDeclaration, usual: number): Outcome {
  return { type: 'deny', status: status ?? usual, ...(body === undefined ? {} : { body }) }
}
