import { rangeOfEntry } from '@sluice/core/http'
import { compareRoutes } from 'rou3'
import type { Predicate, Scalar, When } from '../document/document.js'
import { canonicalPattern } from '../match/paths/spelling.js'

/** Whether one set of requests contains another. `unknown` if there is no proof. */
export type Inclusion = 'yes' | 'no' | 'unknown'

/** The requests that a rule matches. */
export interface Matched {
  readonly when: When | undefined
  /** Whether its path patterns are compared with the path as the client sent it. */
  readonly exact: boolean
}

/** Whether `outer` matches every request that `inner` matches. */
export function includes(outer: Matched, inner: Matched, caseSensitive: boolean): Inclusion {
  const { any, all, not, ...fields } = outer.when ?? {}
  if (any !== undefined || all !== undefined || not !== undefined) return 'unknown'
  let result: Inclusion = 'yes'
  for (const [name, predicate] of Object.entries(fields)) {
    const own = inner.when?.[name]
    const inclusion = isPredicate(predicate)
      ? fieldIncludes(name, predicate, own, outer, inner, caseSensitive)
      : 'unknown'
    if (inclusion === 'no') return 'no'
    if (inclusion === 'unknown') result = 'unknown'
  }
  return result
}

function fieldIncludes(
  name: string,
  outer: Predicate,
  inner: When[string],
  outerRule: Matched,
  innerRule: Matched,
  caseSensitive: boolean,
): Inclusion {
  // An exemption does not apply to a path or a host with several meanings, or to a parameter or a cookie with several values.
  const canBeSeveral = name === 'path' || name === 'host' || isRepeatable(name)
  if (canBeSeveral && outerRule.exact && !innerRule.exact) return 'no'
  if (name.startsWith('param.')) return 'unknown'
  if (inner === undefined) return hasNested(innerRule) ? 'unknown' : 'no'
  if (!isPredicate(inner)) return 'unknown'
  const [outerValues, innerValues] = [literalsOf(outer), literalsOf(inner)]
  if (name === 'method' && outerRule.exact && !innerRule.exact) {
    if (outerValues === undefined || innerValues === undefined) return 'unknown'
    // A limit of GET applies to HEAD, and an exemption of GET does not.
    if (innerValues.some(isGet) && !outerValues.some(isHead)) return 'no'
  }
  if (name !== 'path' && JSON.stringify(outer) === JSON.stringify(inner)) return 'yes'
  if (innerValues === undefined) return 'unknown'
  if (outerValues === undefined) {
    const isPresence = typeof outer === 'object' && JSON.stringify(outer) === '{"present":true}'
    return isPresence ? 'yes' : 'unknown'
  }
  const contained = innerValues.map((value) =>
    outerValues.some((wide) => contains(name, wide, value, caseSensitive)),
  )
  return contained.includes(false) ? missing(name) : 'yes'
}

/** Several ranges or patterns can together cover another one. This is not checked. */
function missing(name: string): Inclusion {
  return name === 'path' || name === 'ip' ? 'unknown' : 'no'
}

function contains(name: string, wide: Scalar, narrow: Scalar, caseSensitive: boolean): boolean {
  if (name === 'path') {
    const relation = routes(wide, narrow, caseSensitive)
    return relation === 'equal' || relation === 'superset'
  }
  if (name === 'ip') {
    const [outer, inner] = [rangeOfEntry(`${wide}`), rangeOfEntry(`${narrow}`)]
    if (typeof outer !== 'object' || typeof inner !== 'object') return false
    return outer.first <= inner.first && inner.last <= outer.last
  }
  return spelled(name, wide) === spelled(name, narrow)
}

function routes(a: Scalar, b: Scalar, caseSensitive: boolean): ReturnType<typeof compareRoutes> {
  try {
    return compareRoutes(
      canonicalPattern(`${a}`, caseSensitive),
      canonicalPattern(`${b}`, caseSensitive),
    )
  } catch {
    return 'partial'
  }
}

/** Texts and numbers that a request can have at once are the same value: `5` and `'5'`. */
function spelled(name: string, value: Scalar): string {
  return name === 'method' || name === 'host' ? `${value}`.toLowerCase() : `${value}`
}

function isRepeatable(field: string): boolean {
  return /^(?:query|cookie)\./.test(field)
}

function isHead(method: Scalar): boolean {
  return spelled('method', method) === 'head'
}

function isGet(method: Scalar): boolean {
  return spelled('method', method) === 'get'
}

function hasNested({ when }: Matched): boolean {
  return when?.any !== undefined || when?.all !== undefined || when?.not !== undefined
}

function isPredicate(value: When[string]): value is Predicate {
  return value !== undefined
}

function literalsOf(predicate: Predicate): readonly Scalar[] | undefined {
  if (typeof predicate !== 'object') return [predicate]
  return isScalars(predicate) ? predicate : undefined
}

function isScalars(predicate: object): predicate is readonly Scalar[] {
  return Array.isArray(predicate)
}
