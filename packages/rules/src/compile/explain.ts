import { createHash } from 'node:crypto'
import type { Key, Policy } from '@sluice/core'
import type { Awaitable } from '@sluice/core/http'
import { isPromise } from '@sluice/core/internal'
import { reasonOf } from '../errors/reason.js'
import type { Request } from '../match/reading.js'
import { anything } from '../match/value.js'
import type { Mismatch } from '../match/predicates/conditions.js'
import { matches, mismatchOf } from '../match/when.js'
import type { CompiledRule } from './rule.js'
import type { Variant } from './limits/variants.js'
import { walk, walkShadow, type Applied, type Walked } from './walk.js'

/** How the rules decide one request, rule by rule. */
export interface Explanation {
  readonly version: string
  /** Whether the limiter is asked, the request is refused, or nothing limits it. */
  readonly type: 'ask' | 'refuse' | 'pass'
  readonly rules: readonly ExplainedRule[]
  /** The rules that are asked, without shadow rules. */
  readonly asked: readonly string[]
  readonly shadow: readonly string[]
  /** The rule that ends the search: it allows or refuses. */
  readonly endedBy: string | undefined
  readonly tags: readonly string[]
}

/** One rule of an explanation. */
export interface ExplainedRule {
  /** Counted from 1. */
  readonly position: number
  readonly id: string
  /** 0 if the document has no text. */
  readonly line: number
  readonly applies: boolean
  /** In words: the first predicate that does not hold, with the value; or how the rule applies. */
  readonly reason: string
  readonly mismatch?: Mismatch
  readonly key?: Key
  /** Its policies for this request, by the names of their counts. */
  readonly policies?: Readonly<Record<string, Policy>>
  /** The reasons for these policies: `plan pro`, `override "acme"`. */
  readonly chosenBy?: readonly string[]
  /** The policies that it would have without the override. */
  readonly ownPolicies?: Readonly<Record<string, Policy>>
  /** The reasons for those. */
  readonly ownChosenBy?: readonly string[]
  readonly cost?: number
}

/** Options of `explain`. */
export interface ExplainOptions {
  /**
   * Shows the values of headers and cookies. Without it they are hashed, because they may be secrets.
   *
   * @default false
   */
  readonly show?: boolean | undefined
}

/** Explains a judgement rule by rule. */
export function explain(
  version: string,
  rules: readonly CompiledRule[],
  request: Request,
  options: ExplainOptions,
): Awaitable<Explanation> {
  const failures = new Map<CompiledRule, unknown>()
  const among = (shadow: boolean): (() => CompiledRule | undefined) => {
    const found = rules.filter((rule) => rule.enabled && rule.shadow === shadow).values()
    return () => found.next().value
  }
  const fail = (rule: CompiledRule, error: unknown): void => void failures.set(rule, error)
  return then(
    walk(among(false), request, () => {}),
    (walked) =>
      then(walkShadow(among(true), request, walked, fail), (inShadow) =>
        explanationOf(version, rules, request, options, walked, inShadow.applied, failures),
      ),
  )
}

function then<T, U>(value: Awaitable<T>, use: (value: T) => Awaitable<U>): Awaitable<U> {
  return isPromise(value) ? Promise.resolve(value).then(use) : use(value)
}

function explanationOf(
  version: string,
  rules: readonly CompiledRule[],
  request: Request,
  { show = false }: ExplainOptions,
  walked: Walked,
  inShadow: readonly Applied[],
  failures: ReadonlyMap<CompiledRule, unknown>,
): Explanation {
  const { endedBy } = walked
  const isRefused = endedBy?.action.type === 'refuse'
  // A refusal asks no limit above it.
  const applied = isRefused ? [] : inOrder([...walked.applied, ...inShadow])
  const shown = (mismatch: Mismatch): Mismatch =>
    mismatch.secret && !show ? { ...mismatch, value: hashed(mismatch.value) } : mismatch
  const asked = applied.filter(({ rule }) => !rule.shadow)
  return {
    version,
    type: isRefused ? 'refuse' : applied.length === 0 ? 'pass' : 'ask',
    rules: rules.map((rule) =>
      failures.has(rule)
        ? failedShadow(rule, failures.get(rule))
        : explainRule(rule, applied, endedBy, request, shown),
    ),
    asked: asked.map(({ rule }) => rule.id),
    shadow: applied.filter(({ rule }) => rule.shadow).map(({ rule }) => rule.id),
    endedBy: endedBy?.id,
    tags: walked.tags,
  }
}

function inOrder(applied: readonly Applied[]): readonly Applied[] {
  return applied.toSorted((a, b) => a.rule.number - b.rule.number)
}

function failedShadow({ number, id, line }: CompiledRule, error: unknown): ExplainedRule {
  return { position: number + 1, id, line, applies: false, reason: `fails: ${reasonOf(error)}` }
}

function explainRule(
  rule: CompiledRule,
  applied: readonly Applied[],
  endedBy: CompiledRule | undefined,
  request: Request,
  shown: (mismatch: Mismatch) => Mismatch,
): ExplainedRule {
  const { number, id, line, action, shadow } = rule
  const about = { position: number + 1, id, line }
  const no = (reason: string): ExplainedRule => ({ ...about, applies: false, reason })
  if (!rule.enabled) return no('is not enabled')
  if (endedBy !== undefined && number > endedBy.number) return no(`comes after "${endedBy.id}"`)
  const isExemption = action.type === 'allow'
  if (!matches(rule.when, request, isExemption)) {
    const mismatch = mismatchOf(rule.when, request, isExemption)
    if (mismatch === undefined)
      return no('the client sent several values of a parameter or a cookie')
    const safe = shown(mismatch)
    return { ...about, applies: false, reason: inWords(safe), mismatch: safe }
  }
  const yes = (reason: string): ExplainedRule => ({ ...about, applies: true, reason })
  if (action.type !== 'limit') {
    return shadow ? yes(`shadow: would ${verbs[action.type]}`) : yes(`it ${verbs[action.type]}s`)
  }
  const own = applied.find((one) => one.rule === rule)
  if (own !== undefined)
    return { ...yes(shadow ? 'shadow' : 'it matches'), ...limitOf(own, request) }
  if (endedBy?.action.type === 'refuse') return no(`"${endedBy.id}" refuses the request`)
  return no(absentReason(rule, applied, request))
}

const verbs = { allow: 'allow', refuse: 'refuse', tag: 'tag' } as const

function limitOf({ limit, key, variant, cost }: Applied, request: Request): Partial<ExplainedRule> {
  const own = limit.variants.ownVariantOf(request)
  return {
    key,
    policies: policiesOf(variant),
    chosenBy: variant.reasons,
    cost,
    ...(own === variant ? {} : { ownPolicies: policiesOf(own), ownChosenBy: own.reasons }),
  }
}

function policiesOf({ policies }: Variant): Readonly<Record<string, Policy>> {
  return Object.fromEntries(policies)
}

function absentReason(rule: CompiledRule, applied: readonly Applied[], request: Request): string {
  if (rule.action.type !== 'limit') return ''
  const { group, count, key } = rule.action
  const absent = key.parts.find((fields) =>
    // A request with several values of a field does not lack it.
    fields.every(
      (field) => (field.inPath ? field.counted(request) : request.peek(field)) === undefined,
    ),
  )
  if (absent !== undefined) return `the key lacks ${absent.map(({ name }) => name).join(', ')}`
  const other = applied.find(
    ({ limit, rule: { shadow } }) =>
      (rule.shadow || !shadow) &&
      (limit.count === count || (group !== undefined && limit.group === group)),
  )
  return `${other === undefined ? 'another rule' : `"${other.rule.id}"`} applies in its place`
}

function inWords({ field, value, words }: Mismatch): string {
  if (value === undefined) return field === 'any' || field === 'not' ? words : `${field} is absent`
  if (value === anything) return `${field} can be anything, and so it ${words}`
  return `${field} ${typeof value === 'object' ? value.filter((one) => one !== '').join(', ') : value} ${words}`
}

function hashed(value: Mismatch['value']): Mismatch['value'] {
  if (value === undefined) return undefined
  return `sha256:${createHash('sha256').update(String(value)).digest('hex').slice(0, 12)}`
}
