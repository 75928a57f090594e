import type { Range } from '@sluice/core/http'
import type { Scalar } from '../../document/document.js'
import {
  anything,
  Failure,
  suspended,
  type Field,
  type RequestContext,
  type Value,
} from '../context.js'
import type { List } from '../lists.js'
import type { Operator } from './operators.js'
import { fitsOne } from '../paths/path-match.js'
import type { Patterns } from '../paths/patterns.js'
import type { Schedule } from '../schedule.js'

/** Something that has to hold for a rule to apply. */
export interface Condition {
  /** How much work it is. Cheaper conditions are tested first. */
  readonly work: number
  /** A necessary condition that an index can search for. */
  readonly anchor: Anchor | undefined
  holds(context: RequestContext): boolean
  /** Why it does not hold. Undefined if it holds. */
  failure(context: RequestContext): Mismatch | undefined
}

/** Values of which a request must have one. */
export type Anchor =
  | { readonly type: 'values'; readonly field: Field; readonly values: readonly Scalar[] }
  | { readonly type: 'patterns'; readonly exact: boolean; readonly patterns: readonly number[] }
  | { readonly type: 'ranges'; readonly field: Field; readonly ranges: readonly Range[] }
  | { readonly type: 'list'; readonly field: Field; readonly list: List }

/** The first predicate that did not hold, and the value that it saw. */
export interface Mismatch {
  readonly field: string
  /** Undefined if the request does not have it. */
  readonly value: Value
  readonly secret: boolean
  /** The failed test in words, such as `is not POST`. */
  readonly words: string
}

/**
 * A field that has to pass an operator. A request without the field does not.
 *
 * @param certain whether a field with several values fails: which of them the application uses is unknown. Otherwise one of them has to pass.
 */
export function fieldCondition(
  field: Field,
  certain: boolean,
  operator: Operator,
  anchor?: Anchor,
): Condition {
  function holds(context: RequestContext): boolean {
    const value = context.read(field)
    if (value === undefined) return false
    if (value === anything) return !certain
    if (typeof value !== 'object') return operator.test(value)
    return !certain && value.some((one) => one !== '' && operator.test(one))
  }
  return {
    work: operator.work + workOf(field),
    anchor,
    holds,
    failure: (context) =>
      holds(context) ? undefined : mismatch(field, certain, context, operator.failure),
  }
}

/**
 * A field that has to be present, or has to be absent.
 *
 * @param certain whether a field with several values fails
 */
export function presence(field: Field, certain: boolean, present: boolean): Condition {
  function holds(context: RequestContext): boolean {
    const value = context.read(field)
    if (value === anything) return !certain
    if (typeof value !== 'object') return (value !== undefined) === present
    return !certain && (present || value.includes(''))
  }
  return {
    work: workOf(field),
    anchor: undefined,
    holds,
    failure: (context) =>
      holds(context)
        ? undefined
        : mismatch(field, certain, context, present ? 'is absent' : 'is present'),
  }
}

/** A path that has to fit one of the patterns. */
export function pathCondition(
  patterns: Patterns,
  numbers: readonly number[],
  exact: boolean,
): Condition {
  function holds(context: RequestContext): boolean {
    const match = context.pathMatch(patterns, exact)
    return match !== undefined && fitsOne(match, numbers)
  }
  return {
    work: 1,
    anchor: { type: 'patterns', exact, patterns: numbers },
    holds,
    failure(context) {
      if (holds(context)) return undefined
      const words = `does not fit ${numbers.map((number) => patterns.patternOf(number)).join(', ')}`
      const value = context.pathMatch(patterns, exact)?.all[0] ?? context.url
      return { field: 'path', value, secret: false, words }
    },
  }
}

/** A schedule that has to be active. */
export function duringCondition(
  names: readonly string[],
  schedules: readonly Schedule[],
): Condition {
  const holds = ({ now }: RequestContext): boolean =>
    schedules.some((schedule) => schedule.activeAt(now))
  return {
    work: 1,
    anchor: undefined,
    holds,
    failure(context) {
      if (holds(context)) return undefined
      const value = new Date(context.now).toISOString()
      return { field: 'during', value, secret: false, words: `is not in ${names.join(', ')}` }
    },
  }
}

/**
 * Whether all conditions hold. An error counts only if no other condition fails. Otherwise the errors of requests would depend on the order of the
 * predicates, and on the one that the index searches for.
 */
export function allHold(conditions: readonly Condition[], context: RequestContext): boolean {
  let failure: Failure | undefined
  for (let i = 0; i < conditions.length; i++) {
    try {
      if (!conditions[i].holds(context)) return false
    } catch (error) {
      if (error === suspended) throw error
      failure ??= new Failure(error)
    }
  }
  if (failure !== undefined) throw failure.error
  return true
}

/** Whether one condition holds. An error counts only if none does. */
function oneHolds(conditions: readonly Condition[], context: RequestContext): boolean {
  let failure: Failure | undefined
  for (let i = 0; i < conditions.length; i++) {
    try {
      if (conditions[i].holds(context)) return true
    } catch (error) {
      if (error === suspended) throw error
      failure ??= new Failure(error)
    }
  }
  if (failure !== undefined) throw failure.error
  return false
}

/** All of them have to hold. */
export function allOf(conditions: readonly Condition[]): Condition {
  const ordered = conditions.toSorted((a, b) => a.work - b.work)
  return {
    work: ordered.reduce((sum, { work }) => sum + work, 0),
    anchor: ordered.find(({ anchor }) => anchor !== undefined)?.anchor,
    holds: (context) => allHold(ordered, context),
    failure(context) {
      for (const condition of ordered) {
        const failure = condition.failure(context)
        if (failure !== undefined) return failure
      }
      return undefined
    },
  }
}

/** One of them has to hold. */
export function anyOf(conditions: readonly Condition[]): Condition {
  return {
    work: conditions.reduce((sum, { work }) => sum + work, 0),
    anchor: undefined,
    holds: (context) => oneHolds(conditions, context),
    failure(context) {
      const failures = []
      for (const condition of conditions) {
        const failure = condition.failure(context)
        if (failure === undefined) return undefined
        failures.push(failure)
      }
      const words = failures.map(({ field, words }) => `${field} ${words}`).join(', and ')
      return { field: 'any', value: undefined, secret: false, words: `fails: ${words}` }
    },
  }
}

/** It must not hold. */
export function notOf(condition: Condition, words: string): Condition {
  return {
    work: condition.work,
    anchor: undefined,
    holds: (context) => !condition.holds(context),
    failure: (context) =>
      condition.holds(context)
        ? { field: 'not', value: undefined, secret: false, words: `fails: ${words}` }
        : undefined,
  }
}

function mismatch(
  field: Field,
  certain: boolean,
  context: RequestContext,
  failure: string,
): Mismatch {
  const value = context.read(field)
  const words =
    certain && (typeof value === 'object' || value === anything) ? 'has several values' : failure
  return { field: field.name, value, secret: field.secret, words }
}

/** A value of the application may need a database query. Other fields are read from the request. */
function workOf(field: Field): number {
  return field.isValue ? 20 : 0
}
