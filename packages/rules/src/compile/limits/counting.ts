import type { Counts } from '../../decide/match.js'
import type { Outcome } from '../../decide/outcome.js'
import type { RuleDeclaration } from '../../document/document.js'
import type { Place } from '../../document/findings.js'
import type { VariantReader } from './variants.js'

/** Which responses count for a rule, and when: see `AppliedRule`. */
export interface Counting {
  readonly counts: Counts
  readonly reserves?: boolean
  readonly countsDenied?: boolean
}

/** Reads `counts`, and finds what cannot count by the response. */
export function readCounting(
  declared: RuleDeclaration['counts'] = 'all',
  variants: VariantReader,
  outcome: Outcome,
  place: Place,
): Counting {
  const {
    status,
    when = 'all',
    reserve = true,
    denied = false,
  } = typeof declared === 'object' ? declared : { when: declared }
  const counts = status === undefined ? when : [status].flat()
  const conflict = (other: string, advice: string): void =>
    place.error('SLUICE_RULES_OPTIONS_CONFLICT', 'counts', other, advice)
  if (!reserve && outcome.type === 'delay') conflict('over', noUnits)
  for (const { policy } of variants.alternatives) {
    const { kind, block } = policy
    if (reserve && counts !== 'all' && block?.on === 'exceeded') conflict('block', heldUnits)
    if (!reserve && (kind === 'concurrency' || kind === 'leakyQueue')) conflict(kind, noUnits)
  }
  return { counts, ...(!reserve && { reserves: false }), ...(denied && { countsDenied: true }) }
}

const noUnits = 'With "reserve: false", a request holds no units while it runs'
const heldUnits =
  'Requests that will not count hold their units until they end, and could start the block. Write "on: reached", or "reserve: false" in "counts"'

/** Whether a rule is decided by itself, and not together with others: what another rule denies counts, or the units are taken after the response. */
export function isApart({ reserves, countsDenied }: Counting): boolean {
  return reserves === false || countsDenied === true
}
