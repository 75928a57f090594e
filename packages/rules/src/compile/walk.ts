import type { Key } from '@sluice/core'
import type { Awaitable } from '@sluice/core/http'
import { requestError, rulesError } from '../errors.js'
import type { Request } from '../match/reading.js'
import { matches, matchesSurely, mayMatch } from '../match/when.js'
import { awaited } from './awaited.js'
import type { CompiledRule, Limit } from './rule.js'
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

/** Limits that may apply to one request. */
export const mostApplied = 32

/**
 * Searches the enforced rules from the top. Every limit that matches applies; a rule with `then` ends the search, unless it only tags.
 *
 * The shadow rules are searched by themselves, as far as the search through the enforced ones went: no shadow rule makes a request wait or fail, ends the
 * search, or replaces an enforced rule.
 *
 * @param failed called with the rule whose judgement throws
 * @param enforced the result for the enforced rules, if these are the shadow rules
 * @throws the error of an enforced rule
 */
export function walk(
  next: () => CompiledRule | undefined,
  request: Request,
  failed: (rule: CompiledRule, error: unknown) => void,
  enforced?: Walked,
): Awaitable<Walked> {
  const applied: Applied[] = []
  const others: CompiledRule[] = []
  const tags: string[] = []
  let endedBy: CompiledRule | undefined
  const last = enforced?.endedBy?.number ?? Infinity

  /** Returns whether it ends the search. */
  function visit(rule: CompiledRule): boolean {
    const { action, number } = rule
    if (number > last) return true
    let limit: Applied | undefined
    try {
      if (!matches(rule.when, request, action.type === 'allow')) return false
      if (action.type === 'limit' && !isTaken(action, above(number), request)) {
        limit = appliedOf(rule, action, request)
      }
      if (limit === undefined) others.push(rule)
      else if (applied.push(limit) > mostApplied && enforced === undefined) {
        throw tooMany(applied, request)
      }
    } catch (error) {
      failed(rule, error)
      if (enforced === undefined) throw error
      return false
    }
    if (action.type === 'limit' || enforced !== undefined) return false
    if (action.type === 'tag') tags.push(...(tags.includes(action.tag) ? [] : [action.tag]))
    else endedBy = rule
    return action.type !== 'tag'
  }

  /** The limits above a rule that apply. */
  function above(number: number): readonly Applied[] {
    if (enforced === undefined) return applied
    return [...applied, ...enforced.applied.filter(({ rule }) => rule.number < number)]
  }

  return awaited(visitAll(next, request, visit), () => ({ applied, others, tags, endedBy }))
}

/** Visits one rule after another until `visit` returns true. It waits for the values of a rule before the visit. */
function visitAll(
  search: () => CompiledRule | undefined,
  request: Request,
  visit: (rule: CompiledRule) => boolean,
): Awaitable<void> {
  for (let rule = search(); rule !== undefined; rule = search()) {
    if (rule.values.length > 0 && request.lacks(rule.values)) {
      if (!mayMatch(rule.when, request, rule.action.type === 'allow')) continue
      const current = rule
      const arrival = request.ask(rule.values)
      if (arrival !== undefined) {
        return arrival.then(() => (visit(current) ? undefined : visitAll(search, request, visit)))
      }
    }
    if (visit(rule)) return undefined
  }
  return undefined
}

function tooMany(applied: readonly Applied[], request: Request): Error {
  const ids = applied.map(({ rule }) => rule.id)
  // A document with too many rules for usual requests is an error of the application.
  return (request.isUnclear ? requestError : rulesError)('SLUICE_RULES_TOO_MANY', mostApplied, ids)
}

/** Whether another rule of the group, or one with the same count, applies already. */
function isTaken({ group, count }: Limit, applied: readonly Applied[], request: Request): boolean {
  return applied.some(
    ({ limit, rule }) =>
      limit.count === count ||
      (group !== undefined && limit.group === group && matchesSurely(rule.when, request)),
  )
}

function appliedOf(rule: CompiledRule, limit: Limit, request: Request): Applied | undefined {
  const key = limit.key.keyOf(request)
  if (key === undefined) return undefined
  return {
    rule,
    limit,
    key,
    variant: limit.variants.variantOf(request),
    cost: limit.cost.of(request),
  }
}
