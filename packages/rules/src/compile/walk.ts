import type { Key } from '@sluice/core'
import { rulesError } from '../errors.js'
import type { RequestContext } from '../match/context.js'
import { matches, type CompiledRule, type Limit } from './rule.js'
import type { Variant } from './variants.js'

/** A limit that applies to a request. */
export interface Applied {
  readonly rule: CompiledRule
  readonly limit: Limit
  readonly key: Key
  readonly variant: Variant
  readonly cost: number
}

/** What a search from the top found. */
export interface Walked {
  readonly matched: readonly CompiledRule[]
  readonly applied: readonly Applied[]
  readonly tags: readonly string[]
  /** The rule that refuses the request. */
  readonly refusedBy: CompiledRule | undefined
  /** Shadow rules that would refuse it. */
  readonly wouldRefuse: readonly CompiledRule[]
}

/** Rules in the order of the document. */
export interface Candidates {
  next(): CompiledRule | undefined
}

/** Limits that may apply to one request. */
export const mostApplied = 32

/** The rule that a search is at, for the statistics of its errors. */
export interface Progress {
  rule: CompiledRule | undefined
}

/** Searches the candidates from the top. Every limit that matches applies; a rule with `then` ends the search, unless it only tags. */
export function walk(candidates: Candidates, context: RequestContext, progress: Progress): Walked {
  const matched: CompiledRule[] = []
  const applied: Applied[] = []
  const tags: string[] = []
  const wouldRefuse: CompiledRule[] = []
  let enforced = 0
  for (let rule = candidates.next(); rule !== undefined; rule = candidates.next()) {
    progress.rule = rule
    if (!matches(rule, context)) continue
    matched.push(rule)
    const { action, shadow } = rule
    switch (action.type) {
      case 'allow':
        if (!shadow) return { matched, applied, tags, refusedBy: undefined, wouldRefuse }
        break
      case 'refuse':
        if (!shadow) return { matched, applied: [], tags, refusedBy: rule, wouldRefuse }
        wouldRefuse.push(rule)
        break
      case 'tag':
        if (!shadow) tags.push(action.tag)
        break
      case 'limit': {
        const limit = isTaken(action, applied) ? undefined : appliedOf(rule, action, context)
        if (limit === undefined) break
        applied.push(limit)
        if (shadow || ++enforced <= mostApplied) break
        const ids = applied.map(({ rule }) => rule.id)
        throw rulesError('SLUICE_RULES_TOO_MANY', mostApplied, ids)
      }
      default:
        return action satisfies never
    }
  }
  return { matched, applied, tags, refusedBy: undefined, wouldRefuse }
}

/**
 * Whether another rule of the group, or one with the same count, applies already. A shadow rule sees those that are enforced, and the enforced ones do not
 * see it.
 */
function isTaken({ group, count, role }: Limit, applied: readonly Applied[]): boolean {
  for (const { limit } of applied) {
    if (limit.role === 'shadow' && role !== 'shadow') continue
    if (limit.count === count || (group !== undefined && limit.group === group)) return true
  }
  return false
}

function appliedOf(rule: CompiledRule, limit: Limit, context: RequestContext): Applied | undefined {
  const key = limit.key.keyOf(context)
  if (key === undefined) return undefined
  return {
    rule,
    limit,
    key,
    variant: limit.variants.variantOf(context),
    cost: limit.cost.costOf(context),
  }
}
