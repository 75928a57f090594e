import type { Key } from '@sluice/core'
import { rulesError } from '../errors.js'
import { suspended, type RequestContext } from '../match/context.js'
import { matches, type CompiledRule, type Limit } from './rule.js'
import type { Variant } from './limits/variants.js'

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
  readonly applied: readonly Applied[]
  /** Rules that match and are not among `applied`. */
  readonly others: readonly CompiledRule[]
  readonly tags: readonly string[]
  /** The rule that ends the search: it allows the request, or refuses it. */
  readonly endedBy: CompiledRule | undefined
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
  let applied: Applied[] | undefined
  let others: CompiledRule[] | undefined
  let tags: string[] | undefined
  let wouldRefuse: CompiledRule[] | undefined
  let endedBy: CompiledRule | undefined
  for (let rule = candidates.next(); rule !== undefined; rule = candidates.next()) {
    try {
      if (!matches(rule, context)) continue
      const { action, shadow } = rule
      if (action.type === 'limit') {
        const limit = isTaken(action, applied ?? none)
          ? undefined
          : appliedOf(rule, action, context)
        if (limit !== undefined) {
          // An array that grows by `push` reserves much more than most requests need.
          if (applied === undefined) applied = [limit]
          else add(limit, applied)
          continue
        }
      }
      others = added(others, rule)
      if (action.type === 'limit') continue
      if (shadow) {
        if (action.type === 'refuse') wouldRefuse = added(wouldRefuse, rule)
      } else if (action.type === 'tag') {
        tags = added(tags, action.tag)
      } else {
        endedBy = rule
        break
      }
    } catch (error) {
      failed(rule, error)
      // A rule on trial fails no request.
      if (!rule.shadow || error === suspended) throw error
    }
  }
  return {
    applied: applied ?? none,
    others: others ?? none,
    tags: tags ?? none,
    endedBy,
    wouldRefuse: wouldRefuse ?? none,
  }
}

function added<T>(list: T[] | undefined, item: T): T[] {
  if (list === undefined) return [item]
  list.push(item)
  return list
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
