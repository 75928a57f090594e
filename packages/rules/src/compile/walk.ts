import type { Key } from '@sluice/core'
import type { Awaitable } from '@sluice/core/http'
import { isPromise } from '@sluice/core/internal'
import { requestError, rulesError } from '../errors.js'
import type { Request } from '../match/reading.js'
import { matches, matchesSurely, mayMatch } from '../match/when.js'
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

/** Called with the rule whose judgement throws. */
type Failed = (rule: CompiledRule, error: unknown) => void

/** Limits that may apply to one request. */
export const mostApplied = 32

/**
 * Searches the enforced rules from the top. Every limit that matches applies; a rule with `then` ends the search, unless it only tags.
 *
 * @throws the error of a rule
 */
export function walk(
  next: () => CompiledRule | undefined,
  request: Request,
  failed: Failed,
): Awaitable<Walked> {
  const applied: Applied[] = []
  const others: CompiledRule[] = []
  const tags: string[] = []
  const walked: { -readonly [M in keyof Walked]: Walked[M] } = {
    applied,
    others,
    tags,
    endedBy: undefined,
  }

  /** Returns whether it ends the search. */
  function visit(rule: CompiledRule): boolean {
    const { action } = rule
    try {
      if (!matches(rule.when, request, action.type === 'allow')) return false
      if (action.type === 'limit') {
        const limit = isTaken(action, applied, request)
          ? undefined
          : appliedOf(rule, action, request)
        if (limit === undefined) others.push(rule)
        else if (applied.push(limit) > mostApplied) throw tooMany(applied, request)
        return false
      }
    } catch (error) {
      failed(rule, error)
      throw error
    }
    others.push(rule)
    if (action.type !== 'tag') walked.endedBy = rule
    else if (!tags.includes(action.tag)) tags.push(action.tag)
    return action.type !== 'tag'
  }

  const done = visitAll(next, request, visit)
  return isPromise(done) ? Promise.resolve(done).then(() => walked) : walked
}

/**
 * Searches the shadow rules, as far as the search through the enforced ones went. The two searches are apart, so that no shadow rule makes a request wait or
 * fail, or replaces an enforced rule.
 */
export function walkShadow(
  next: () => CompiledRule | undefined,
  request: Request,
  { applied: enforced, endedBy }: Walked,
  failed: Failed,
): Awaitable<Pick<Walked, 'applied' | 'others'>> {
  const applied: Applied[] = []
  const others: CompiledRule[] = []
  const last = endedBy?.number ?? Infinity

  function visit(rule: CompiledRule): void {
    const { action, number, when } = rule
    if (!matches(when, request, action.type === 'allow')) return
    const above = enforced.filter((other) => other.rule.number < number)
    const limit =
      action.type !== 'limit' || isTaken(action, [...applied, ...above], request)
        ? undefined
        : appliedOf(rule, action, request)
    if (limit === undefined) others.push(rule)
    else applied.push(limit)
  }

  const done = visitAll(next, request, (rule) => {
    if (rule.number > last) return true
    try {
      visit(rule)
    } catch (error) {
      failed(rule, error)
    }
    return false
  })
  return isPromise(done)
    ? Promise.resolve(done).then(() => ({ applied, others }))
    : { applied, others }
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
