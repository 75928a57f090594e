import type { Outcome } from '@sluice/core/http'
import { millisecondsOf } from '@sluice/core/internal'
import type {
  RuleDeclaration,
  RulesDocument,
  When,
  DenyDeclaration,
  OverDeclaration,
  ThenDeclaration,
} from '../document/document.js'
import type { Path } from '../document/syntax.js'
import { readCounting, type Counting } from './limits/counting.js'
import { allHold, type Condition } from '../match/predicates/conditions.js'
import { certaintyOf, isSeveral } from '../match/certainty.js'
import type { Field, RequestContext } from '../match/context.js'
import type { OwnPath } from '../match/paths/path-match.js'
import type { Vocabulary } from '../match/vocabulary.js'
import { conditionsAsSent, readWhen } from '../match/when.js'
import { readCost, type Cost } from './limits/cost.js'
import { readKey, type KeyReader } from './limits/keys.js'
import { isShort } from './limits/policies.js'
import { readVariants, type VariantReader } from './limits/variants.js'
import type { Findings } from '../document/findings.js'

/** A compiled rule. */
export interface CompiledRule {
  /** Its position in the document. */
  readonly number: number
  readonly id: string
  readonly declaration: RuleDeclaration
  readonly line: number
  readonly enabled: boolean
  readonly shadow: boolean
  readonly conditions: readonly Condition[]
  readonly own: OwnPath
  /** Fields that must not have several values. */
  readonly single: readonly Field[]
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
  /** Whether the rule matches a request, which it matches, in all meanings of the request. */
  readonly isCertain: (context: RequestContext) => boolean
  readonly key: KeyReader
  readonly variants: VariantReader
  readonly cost: Cost
  readonly outcome: Outcome
  readonly counting: Counting
  readonly resetOnSuccess: boolean
  /** When it is asked: with all others, only if those allow, or without the request waiting. */
  readonly role: 'enforced' | 'tagging' | 'shadow'
}

/**
 * Whether all conditions of a rule hold. An exemption that names a parameter of the query or a cookie does not hold if the client sent several values of
 * it: the application may use another one of them.
 */
export function matches(rule: CompiledRule, context: RequestContext): boolean {
  const { conditions, single } = rule
  if (!allHold(conditions, context)) return false
  for (let i = 0; i < single.length; i++) {
    if (isSeveral(context.read(single[i]))) return false
  }
  return true
}

/** Reads a rule. Undefined after findings. */
export function readRule(
  declaration: RuleDeclaration,
  number: number,
  document: Pick<RulesDocument, 'zone' | 'values'>,
  files: ReadonlyMap<string, string>,
  vocabulary: Vocabulary,
): CompiledRule | undefined {
  const { findings } = vocabulary
  const path: Path = ['rules', number]
  const { id, when, then, shadow = false, enabled = true } = declaration
  const { conditions, own, single } = readWhen(
    when,
    then === 'allow',
    [...path, 'when'],
    vocabulary,
  )
  const action =
    then === undefined
      ? readLimit(declaration, own, document, files, path, vocabulary)
      : readThen(declaration, then, path, vocabulary)
  if (action === undefined) return undefined
  const { line } = findings.positionOf(path)
  return { number, id, declaration, line, enabled, shadow, conditions, own, single, action }
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
  path: Path,
  { findings }: Vocabulary,
): Action | undefined {
  const stray = ofLimits.find((member) => declaration[member] !== undefined)
  if (stray !== undefined) {
    const advice = 'A rule with "then" counts nothing'
    findings.error([...path, stray], 'SLUICE_RULES_OPTIONS_CONFLICT', 'then', stray, advice)
    return undefined
  }
  if (then === 'allow') return { type: 'allow' }
  if (typeof then === 'object' && 'tag' in then) return { type: 'tag', tag: then.tag }
  return { type: 'refuse', outcome: thenOutcome(then) }
}

function readLimit(
  declaration: RuleDeclaration,
  own: OwnPath,
  document: Pick<RulesDocument, 'zone' | 'values'>,
  files: ReadonlyMap<string, string>,
  path: Path,
  vocabulary: Vocabulary,
): Limit | undefined {
  const { id, count = id, group, over = 'deny', counts, resetOn, shadow } = declaration
  checkCountName(declaration.count, path, vocabulary)
  const key = readKey(id, declaration.key, own, [...path, 'key'], vocabulary)
  const variants = readVariants(declaration, document, files, path, vocabulary)
  const cost = readCost(declaration.cost, [...path, 'cost'], vocabulary)
  const outcome = overOutcome(over, [...path, 'over'], vocabulary.findings)
  if (variants === undefined || outcome === undefined) return undefined
  const counting = readCounting(counts, variants, outcome, [...path, 'counts'], vocabulary)
  const role = shadow === true ? 'shadow' : outcome.type === 'tag' ? 'tagging' : 'enforced'
  const resetOnSuccess = resetOn === 'success'
  const isCertain =
    group === undefined ? () => true : readCertainty(declaration.when, own, path, vocabulary)
  return {
    type: 'limit',
    count,
    group,
    isCertain,
    key,
    variants,
    cost,
    outcome,
    counting,
    resetOnSuccess,
    role,
  }
}

function readCertainty(
  when: When | undefined,
  own: OwnPath,
  path: Path,
  vocabulary: Vocabulary,
): Limit['isCertain'] {
  const asSent = conditionsAsSent(when, own, [...path, 'when'], vocabulary)
  return certaintyOf(when, own, asSent, vocabulary.fields)
}

/** Refuses `count: failures`, which would name the count "failures" and count all requests. */
function checkCountName(count: string | undefined, path: Path, { findings }: Vocabulary): void {
  if (count !== 'all' && count !== 'failures' && count !== 'successes') return
  const expected = `"counts: ${count}" to choose the responses that count; "count" is the name of the count, which cannot be ${count}`
  findings.unknown(
    [...path, 'count'],
    'count',
    ['counts'],
    'SLUICE_RULES_OPTION_INVALID',
    count,
    expected,
  )
}

/** The outcome of a rule with `then`. */
function thenOutcome(then: Exclude<ThenDeclaration, 'allow'>): Outcome {
  if (then === 'deny') return { type: 'deny', status: 403 }
  if ('deny' in then) return denial(then.deny, 403)
  if ('challenge' in then) return { ...then.challenge, type: 'challenge' }
  return { type: 'tag', tag: then.tag }
}

/** The outcome of a request that is over a limit. Undefined after a finding. */
function overOutcome(over: OverDeclaration, path: Path, findings: Findings): Outcome | undefined {
  if (over === 'deny') return { type: 'deny', status: 429 }
  if ('deny' in over) return denial(over.deny, 429)
  if ('challenge' in over) return { ...over.challenge, type: 'challenge' }
  if ('tag' in over) return { type: 'tag', tag: over.tag }
  if (isShort(over.delay)) {
    findings.warning([...path, 'delay'], 'SLUICE_RULES_DURATION_SHORT', over.delay)
  }
  const maxMs = millisecondsOf(over.delay)
  if (maxMs !== undefined && maxMs > 0) return { type: 'delay', maxMs }
  const expected = 'the longest delay, such as 5s'
  findings.error([...path, 'delay'], 'SLUICE_RULES_OPTION_INVALID', over.delay, expected)
  return undefined
}

function denial({ status, body }: DenyDeclaration, usual: number): Outcome {
  return { type: 'deny', status: status ?? usual, ...(body === undefined ? {} : { body }) }
}
