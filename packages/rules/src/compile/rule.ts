import { millisecondsOf } from '@sluice/core/internal'
import type { Outcome } from '../decide/outcome.js'
import type { RuleDeclaration, OverDeclaration, ThenDeclaration } from '../document/document.js'
import type { Place } from '../document/findings.js'
import type { Field } from '../match/reading.js'
import type { Vocabulary } from '../match/vocabulary.js'
import { readWhen, type Requirements } from '../match/when.js'
import { readCounting, type Counting } from './limits/counting.js'
import { readKey, type KeyReader } from './limits/keys.js'
import { isShort } from './limits/policies.js'
import { readQuantity, type Quantity } from './limits/quantity.js'
import { readVariants, type VariantReader } from './limits/variants.js'

/** A compiled rule. */
export interface CompiledRule {
  /** Its position in the document. */
  readonly number: number
  readonly id: string
  readonly declaration: RuleDeclaration
  readonly line: number
  readonly enabled: boolean
  readonly shadow: boolean
  readonly when: Requirements
  /** The values of the application that it reads. */
  readonly values: readonly Field[]
  readonly action: Action
}

/** The action of a rule for a request that it matches. */
export type Action =
  | { readonly type: 'allow' }
  | { readonly type: 'refuse'; readonly outcome: Outcome }
  | { readonly type: 'tag'; readonly tag: string }
  | Limit

export interface Limit {
  readonly type: 'limit'
  /** The name of its count. */
  readonly count: string
  readonly group: string | undefined
  readonly key: KeyReader
  readonly variants: VariantReader
  readonly cost: Quantity
  readonly outcome: Outcome
  readonly counting: Counting
  readonly resetOnSuccess: boolean
  /** When it is asked: with all others, only if those allow, or without the request waiting. */
  readonly role: 'enforced' | 'tagging' | 'shadow'
}

/** Reads a rule. Undefined after findings. */
export function readRule(
  declaration: RuleDeclaration,
  number: number,
  vocabulary: Vocabulary,
): CompiledRule | undefined {
  const { findings } = vocabulary
  const place = findings.place('rules', number)
  const { id, then, shadow = false, enabled = true } = declaration
  const when = readWhen(declaration.when, place.at('when'), vocabulary)
  const action =
    then === undefined
      ? readLimit(declaration, when, place, vocabulary)
      : readThen(declaration, then, place)
  if (action === undefined) return undefined
  const { line } = findings.positionOf(place.path)
  const values = [...when.values, ...(action.type === 'limit' ? valuesOf(action) : [])]
  return { number, id, declaration, line, enabled, shadow, when, values, action }
}

function valuesOf({ key, variants, cost }: Limit): readonly Field[] {
  const fields = [...key.parts.flat(), ...variants.fields, ...(cost.field ? [cost.field] : [])]
  return fields.filter(({ check }) => check !== undefined)
}

/** Members that have no meaning beside `then`. */
const ofLimits = [
  'key',
  'limit',
  'window',
  'algorithm',
  'policy',
  'policies',
  'over',
  'cost',
  'counts',
  'resetOn',
  'group',
  'count',
  'overrides',
  'expose',
] as const

function readThen(
  declaration: RuleDeclaration,
  then: NonNullable<RuleDeclaration['then']>,
  place: Place,
): Action | undefined {
  const stray = ofLimits.find((member) => declaration[member] !== undefined)
  if (stray !== undefined) {
    const advice = 'A rule with "then" counts nothing'
    return place.at(stray).error('SLUICE_RULES_OPTIONS_CONFLICT', 'then', stray, advice)
  }
  if (then === 'allow') return { type: 'allow' }
  const outcome = outcomeOf(then, 403, place)
  return outcome?.type === 'tag' ? outcome : outcome && { type: 'refuse', outcome }
}

function readLimit(
  declaration: RuleDeclaration,
  when: Requirements,
  place: Place,
  vocabulary: Vocabulary,
): Limit | undefined {
  const { id, count = id, group, over = 'deny', counts, resetOn, shadow } = declaration
  checkCountName(declaration.count, place.at('count'))
  const key = readKey(id, declaration.key, when, place.at('key'), vocabulary)
  const variants = readVariants(declaration, place, vocabulary)
  const cost = readQuantity(declaration.cost ?? 1, place.at('cost'), vocabulary)
  const outcome = outcomeOf(over, 429, place.at('over'))
  if (variants === undefined || outcome === undefined) return undefined
  const counting = readCounting(counts, variants, outcome, place.at('counts'))
  const role = shadow === true ? 'shadow' : outcome.type === 'tag' ? 'tagging' : 'enforced'
  const resetOnSuccess = resetOn === 'success'
  return {
    type: 'limit',
    count,
    group,
    key,
    variants,
    cost,
    outcome,
    counting,
    resetOnSuccess,
    role,
  }
}

/** Refuses `count: failures`, which would name the count "failures" and count all requests. */
function checkCountName(count: string | undefined, place: Place): void {
  if (count !== 'all' && count !== 'failures' && count !== 'successes') return
  const expected = `"counts: ${count}" to choose the responses that count; "count" is the name of the count, which cannot be ${count}`
  place.unknown('count', ['counts'], 'SLUICE_RULES_OPTION_INVALID', count, expected)
}

/**
 * The outcome of a request that a rule refuses, or that is over its limit. Undefined after a finding.
 *
 * @param usual the status of a response that states none
 */
function outcomeOf(
  declared: Exclude<ThenDeclaration, 'allow'> | OverDeclaration,
  usual: number,
  place: Place,
): Outcome | undefined {
  if (declared === 'deny') return { type: 'deny', status: usual }
  if ('deny' in declared) return { type: 'deny', status: usual, ...declared.deny }
  if ('challenge' in declared) return { ...declared.challenge, type: 'challenge' }
  if ('tag' in declared) return { type: 'tag', tag: declared.tag }
  const { delay } = declared
  const at = place.at('delay')
  if (isShort(delay)) at.warning('SLUICE_RULES_DURATION_SHORT', delay)
  const maxMs = millisecondsOf(delay)
  if (maxMs !== undefined && maxMs > 0) return { type: 'delay', maxMs }
  return at.error('SLUICE_RULES_OPTION_INVALID', delay, 'the longest delay, such as 5s')
}
