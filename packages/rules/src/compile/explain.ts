import { createHash } from 'node:crypto'
import type { Key, Policy } from '@sluice/core'
import type { Awaitable } from '@sluice/core/http'
import { reasonOf } from '../errors/quoting.js'
import type { Request } from '../match/reading.js'
import { anything } from '../match/value.js'
import type { Mismatch } from '../match/predicates/conditions.js'
import { matches, mismatchOf } from '../match/when.js'
import { awaited } from './awaited.js'
import type { CompiledRule, Limit } from './rule.js'
import type { Variant } from './limits/variants.js'
import { walk, type Applied } from './walk.js'

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
  const fail = (rule: CompiledRule, error: unknown): void => void failures.set(rule, error)
  const among = (shadow: boolean): (() => CompiledRule | undefined) => {
    const found = rules.filter((rule) => rule.enabled && rule.shadow === shadow).values()
    return () => found.next().value
  }
  return awaited(walk(among(false), request, fail), (walked) =>
    awaited(walk(among(true), request, fail, walked), (inShadow) => {
      const { endedBy, tags } = walked
      const isRefused = endedBy?.action.type === 'refuse'
      // A refusal asks no limit above it.
      const applied = isRefused ? [] : [...walked.applied, ...inShadow.applied]
      applied.sort((a, b) => a.rule.number - b.rule.number)
      const look = { applied, endedBy, request, failures, show: options.show === true }
      const idsOf = (isShadow: boolean): readonly string[] =>
        applied.flatMap(({ rule }) => (rule.shadow === isShadow ? rule.id : []))
      return {
        version,
        type: isRefused ? 'refuse' : applied.length === 0 ? 'pass' : 'ask',
        rules: rules.map((rule) => explainRule(rule, look)),
        asked: idsOf(false),
        shadow: idsOf(true),
        endedBy: endedBy?.id,
        tags,
      }
    }),
  )
}

/** The result of the searches, from which each rule is explained. */
interface Look {
  readonly applied: readonly Applied[]
  readonly endedBy: CompiledRule | undefined
  readonly request: Request
  /** The errors of shadow rules. */
  readonly failures: ReadonlyMap<CompiledRule, unknown>
  readonly show: boolean
}

function explainRule(rule: CompiledRule, look: Look): ExplainedRule {
  const { applied, endedBy, request, failures, show } = look
  const { number, id, line, action, shadow } = rule
  const told = (applies: boolean, reason: string): ExplainedRule => ({
    position: number + 1,
    id,
    line,
    applies,
    reason,
  })
  if (failures.has(rule)) return told(false, `fails: ${reasonOf(failures.get(rule))}`)
  if (!rule.enabled) return told(false, 'is not enabled')
  if (endedBy !== undefined && number > endedBy.number)
    return told(false, `comes after "${endedBy.id}"`)
  const isExemption = action.type === 'allow'
  if (!matches(rule.when, request, isExemption)) {
    const found = mismatchOf(rule.when, request, isExemption)
    if (found === undefined)
      return told(false, 'the client sent several values of a parameter or a cookie')
    const mismatch = show ? found : withoutSecret(found)
    return { ...told(false, inWords(mismatch)), mismatch }
  }
  if (action.type !== 'limit') {
    return told(true, shadow ? `shadow: would ${verbs[action.type]}` : `it ${verbs[action.type]}s`)
  }
  const own = applied.find((one) => one.rule === rule)
  if (own !== undefined)
    return { ...told(true, shadow ? 'shadow' : 'it matches'), ...limitOf(own, request) }
  if (endedBy?.action.type === 'refuse') return told(false, `"${endedBy.id}" refuses the request`)
  return told(false, absentReason(rule, action, applied, request))
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

function absentReason(
  rule: CompiledRule,
  { group, count, key }: Limit,
  applied: readonly Applied[],
  request: Request,
): string {
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

function withoutSecret(mismatch: Mismatch): Mismatch {
  const { secret, value } = mismatch
  if (!secret || value === undefined) return mismatch
  const hash = createHash('sha256').update(String(value)).digest('hex').slice(0, 12)
  return { ...mismatch, value: `sha256:${hash}` }
}
