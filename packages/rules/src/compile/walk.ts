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

const none: readonly never[] = Object.freeze([])

/**
 * Searches the candidates from the top. Every limit that matches applies; a rule with `then` ends the search, unless it only tags.
 *
 * @param failed called with the rule whose judgement throws
 */
export function walk(
  candidates: Candidates,
  context: RequestContext,
  failed: (rule: CompiledRule, error: unknown) => void,
): Walked {
  const matched: CompiledRule[] = []
  let applied: Applied[] | undefined
  let tags: string[] | undefined
  let wouldRefuse: CompiledRule[] | undefined
  let refusedBy: CompiledRule | undefined
  for (let rule = candidates.next(); rule !== undefined; rule = candidates.next()) {
    try {
      if (!matches(rule, context)) continue
      matched.push(rule)
      const { action, shadow } = rule
      if (action.type === 'limit') {
        applied ??= []
        const limit = isTaken(action, applied) ? undefined : appliedOf(rule, action, context)
        if (limit !== undefined) add(limit, applied)
      } else if (shadow) {
        if (action.type === 'refuse') (wouldRefuse ??= []).push(rule)
      } else if (action.type === 'tag') {
        ;(tags ??= []).push(action.tag)
      } else {
        if (action.type === 'refuse') refusedBy = rule
        break
      }
    } catch (error) {
      failed(rule, error)
      throw error
    }
  }
  return {
    matched,
    applied: refusedBy === undefined ? (applied ?? none) : none,
    tags: tags ?? none,
    refusedBy,
    wouldRefuse: wouldRefuse ?? none,
  }
}

/** Shadow rules are no burden for the request, so that they do not count. */
function add(limit: Applied, applied: Applied[]): void {
  applied.push(limit)
  if (applied.length <= mostApplied) return
  const enforced = applied.filter(({ rule }) => !rule.shadow)
  if (enforced.length <= mostApplied) return
  const ids = enforced.map(({ rule }) => rule.id)
  throw rulesError('SLUICE_RULES_TOO_MANY', mostApplied, ids)
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
