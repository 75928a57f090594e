import type { Key } from '@sluice/core'
import { requestError, rulesError } from '../errors.js'
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

/** The result of a search from the top. */
export interface Walked {
  readonly applied: readonly Applied[]
  /** Rules that match and are not among `applied`. */
  readonly others: readonly CompiledRule[]
  readonly tags: readonly string[]
  /** The rule that ends the search: it allows the request, or refuses it. */
  readonly endedBy: CompiledRule | undefined
}

/** The result of a search through shadow rules. */
export interface ShadowWalked {
  readonly applied: readonly Applied[]
  /** Rules that match and are not among `applied`. */
  readonly others: readonly CompiledRule[]
}

/** Rules in the order of the document. */
export interface Candidates {
  next(): CompiledRule | undefined
}

/** Called with the rule whose judgement throws. */
type Failed = (rule: CompiledRule, error: unknown) => void

/** Limits that may apply to one request. */
export const mostApplied = 32

const none: readonly never[] = Object.freeze([])

/**
 * Searches the enforced rules from the top. Every limit that matches applies; a rule with `then` ends the search, unless it only tags.
 *
 * @throws the error of a rule
 */
export function walk(candidates: Candidates, context: RequestContext, failed: Failed): Walked {
  let applied: Applied[] | undefined
  let others: CompiledRule[] | undefined
  let tags: string[] | undefined
  let endedBy: CompiledRule | undefined
  for (let rule = candidates.next(); rule !== undefined; rule = candidates.next()) {
    try {
      if (!matches(rule, context)) continue
      const { action } = rule
      if (action.type === 'limit') {
        const limit = isTaken(action, applied ?? none, context)
          ? undefined
          : appliedOf(rule, action, context)
        if (limit === undefined) {
          others = added(others, rule)
          continue
        }
        // An array that grows by `push` reserves much more than most requests need.
        if (applied === undefined) applied = [limit]
        else add(limit, applied, context)
        continue
      }
      others = added(others, rule)
      if (action.type === 'tag') {
        if (tags?.includes(action.tag) !== true) tags = added(tags, action.tag)
        continue
      }
      endedBy = rule
      break
    } catch (error) {
      failed(rule, error)
      throw error
    }
  }
  return { applied: applied ?? none, others: others ?? none, tags: tags ?? none, endedBy }
}

/**
 * Searches the shadow rules, as far as the search through the enforced ones went. The two searches are apart, so that no shadow rule makes a request wait or
 * fail, or replaces an enforced rule.
 *
 * @throws `suspended`, and no error of a rule
 */
export function walkShadow(
  candidates: Candidates,
  context: RequestContext,
  { applied: enforced, endedBy }: Walked,
  failed: Failed,
): ShadowWalked {
  const applied: Applied[] = []
  const others: CompiledRule[] = []
  const last = endedBy?.number ?? Infinity
  for (let rule = candidates.next(); rule !== undefined; rule = candidates.next()) {
    if (rule.number > last) break
    try {
      if (!matches(rule, context)) continue
      const limit = shadowLimitOf(rule, context, enforced, applied)
      if (limit === undefined) others.push(rule)
      else applied.push(limit)
    } catch (error) {
      failed(rule, error)
      if (error === suspended) throw error
    }
  }
  return { applied, others }
}

function shadowLimitOf(
  rule: CompiledRule,
  context: RequestContext,
  enforced: readonly Applied[],
  shadow: readonly Applied[],
): Applied | undefined {
  const { action, number } = rule
  if (action.type !== 'limit' || isTaken(action, shadow, context)) return undefined
  const above = enforced.filter((other) => other.rule.number < number)
  return isTaken(action, above, context) ? undefined : appliedOf(rule, action, context)
}

function added<T>(list: T[] | undefined, item: T): T[] {
  if (list === undefined) return [item]
  list.push(item)
  return list
}

function add(limit: Applied, applied: Applied[], context: RequestContext): void {
  applied.push(limit)
  if (applied.length <= mostApplied) return
  const ids = applied.map(({ rule }) => rule.id)
  // A document with too many rules for usual requests is an error of the application.
  const makeError = context.hasSeveralMeanings ? requestError : rulesError
  throw makeError('SLUICE_RULES_TOO_MANY', mostApplied, ids)
}

/** Whether another rule of the group, or one with the same count, applies already. */
function isTaken(
  { group, count }: Limit,
  applied: readonly Applied[],
  context: RequestContext,
): boolean {
  for (const { limit } of applied) {
    if (limit.count === count) return true
    if (group !== undefined && limit.group === group && limit.isCertain(context)) return true
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
