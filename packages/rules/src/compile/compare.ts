import { layoutOf, resolvePolicy } from '@sluice/core/internal'
import type { RuleDeclaration, RulesDocument } from '../document/document.js'
import { inZone } from './limits/policies.js'
import { rulesOf, type RuleSet } from './rule-set.js'
import type { CompiledRule, Limit } from './rule.js'

/** How a new document differs from an old one, and the effect on the counts. */
export interface Comparison {
  readonly added: readonly string[]
  /** Rules that the new document does not have. Their counts expire, unless other rules use them. */
  readonly removed: readonly string[]
  /** Rules that differ. They keep their counts, with the new numbers. A rule with a new id has changed if it keeps its count. */
  readonly changed: readonly Change[]
  /** Rules with counts that start again, because their names, their keys or the algorithms of their policies differ. */
  readonly afresh: readonly Change[]
  /** Values, lists, schedules, settings and the order of the rules, as far as they differ, in words. Entries in files are not compared. */
  readonly declarations: readonly string[]
}

/** A rule that differs. */
export interface Change {
  readonly rule: string
  /** The members that differ. */
  readonly members: readonly string[]
  /** Such as `limit 60 → 80`. */
  readonly words: string
}

/** Compares two sets of rules: the rules by their ids or their counts. */
export function compareRules(old: RuleSet, next: RuleSet): Comparison {
  const [before, after] = [old.document.rules, next.document.rules]
  const byId = new Map(before.map((rule) => [rule.id, rule]))
  const ids = new Set(after.map(({ id }) => id))
  // A rule with a new id that keeps its count is the same rule.
  const byCount = new Map(
    before.filter(({ id }) => !ids.has(id)).map((rule) => [countOf(rule), rule]),
  )
  const earlierOf = new Map<RuleDeclaration, RuleDeclaration>()
  for (const rule of after) {
    const count = countOf(rule)
    const earlier = byId.get(rule.id) ?? (count === undefined ? undefined : byCount.get(count))
    if (earlier !== undefined) earlierOf.set(rule, earlier)
  }
  const kept = new Set(earlierOf.values())
  const [compiledOld, compiledNext] = [rulesOf(old), rulesOf(next)]
  const changes = [...earlierOf].flatMap(([rule, earlier]) => {
    const members = differences(withoutNote(earlier), withoutNote(rule))
    if (members.size === 0) return []
    const words = [...members].map(([member, change]) => `${member} ${change}`).join(', ')
    const change = { rule: rule.id, members: [...members.keys()], words }
    const [one, two] = [limitOf(compiledOld, earlier), limitOf(compiledNext, rule)]
    return [{ change, isAfresh: one && two && startsAgain(one, two, compiledOld) }]
  })
  const chosen = (isAfresh: boolean): readonly Change[] =>
    changes.flatMap((one) => ((one.isAfresh ?? false) === isAfresh ? one.change : []))
  const declarations = differences(
    headOf(old.document, ids),
    headOf(next.document, new Set(byId.keys())),
  )
  return {
    added: after.filter((rule) => !earlierOf.has(rule)).map(({ id }) => id),
    removed: before.filter((rule) => !kept.has(rule)).map(({ id }) => id),
    changed: chosen(false),
    afresh: chosen(true),
    declarations: [...declarations].map(([name, change]) => `${name}: ${change}`),
  }
}

function countOf({ id, count = id, then }: RuleDeclaration): string | undefined {
  return then === undefined ? count : undefined
}

function limitOf(rules: readonly CompiledRule[], { id }: RuleDeclaration): Limit | undefined {
  const action = rules.find((rule) => rule.id === id)?.action
  return action?.type === 'limit' ? action : undefined
}

/** Notes can change without changing a rule. */
function withoutNote(rule: RuleDeclaration): object {
  return { ...rule, note: undefined }
}

/** All but the rules, and the order of those that both documents have: it can decide which rules apply to a request. */
function headOf(document: RulesDocument, others: ReadonlySet<string>): object {
  const { values, lists, schedules, zone, caseSensitive, rules } = document
  const order = rules.map(({ id }) => id).filter((id) => others.has(id))
  return { values, lists, schedules, zone, caseSensitive, order }
}

/** The members that differ, with both values in words. */
function differences(
  old: object,
  next: object,
  prefix = '',
  found = new Map<string, string>(),
): Map<string, string> {
  const [before, after] = [old, next].map((part) => new Map<string, unknown>(Object.entries(part)))
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const [one, two] = [before.get(name), after.get(name)]
    if (JSON.stringify(one) === JSON.stringify(two)) continue
    if (isRecord(one) && isRecord(two)) differences(one, two, `${prefix}${name}.`, found)
    else found.set(`${prefix}${name}`, `${inWords(one)} → ${inWords(two)}`)
  }
  return found
}

function inWords(value: unknown): string {
  if (value === undefined) return 'none'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  // A list can have thousands of entries.
  return text.length > 120 ? `${text.slice(0, 119)}…` : text
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Whether counts of a rule start again. The stores identify a count by its name, its key and the form of its policy: `gcra` continues the count of a
 * `tokenBucket`, and another number of `buckets` does not.
 *
 * @param old all earlier rules, because rules can share a count
 */
function startsAgain(earlier: Limit, limit: Limit, old: readonly CompiledRule[]): boolean {
  const { names } = limit.variants
  const before = [earlier, ...old.flatMap(({ action }) => (action.type === 'limit' ? action : []))]
  const isReplaced = earlier.variants.names.some((name) => !names.includes(name))
  return names.some((name) => {
    const users = before.filter(({ variants }) => variants.names.includes(name))
    const user = users.find(({ key }) => keyText(key) === keyText(limit.key))
    // A further policy of a rule has a new count, beside which those of the others continue.
    if (user === undefined) return isReplaced || users.length > 0
    const [earlierForms, forms] = [formsOf(user, name), formsOf(limit, name)]
    return [...earlierForms.keys(), ...forms.keys()].some((reason) =>
      possible(earlierForms, reason).some((one) =>
        possible(forms, reason).some((other) => one !== other && one !== '' && other !== ''),
      ),
    )
  })
}

/** The forms that a client with this reason can have: that of the reason, that of "else", or any. */
function possible(forms: ReadonlyMap<string, string>, reason: string): readonly string[] {
  const chosen = forms.get(reason) ?? forms.get(`${reason.split(' ')[0]} else`)
  return chosen === undefined ? [...forms.values()] : [chosen]
}

function keyText({ parts }: Limit['key']): string {
  return JSON.stringify(parts.map((fields) => fields.map(({ name }) => name)))
}

/** The forms of a count, by the reasons for the choice of its policies. */
function formsOf({ variants }: Limit, name: string): ReadonlyMap<string, string> {
  const own = variants.alternatives.filter((one) => one.name === name)
  const forms = new Map(own.map(({ reason = '', policy }) => [reason, formOfPolicy(policy)]))
  for (const { limit, reason } of name === variants.names[0] ? (variants.overrides ?? []) : []) {
    // A form does not depend on the time zone.
    if (typeof limit === 'object') forms.set(reason, formOfPolicy(inZone(limit, 'UTC')))
  }
  return forms
}

function formOfPolicy(policy: { readonly kind: string }): string {
  return policy.kind === 'unlimited' ? '' : layoutOf(resolvePolicy(policy, 'a rule'))
}
