import { partsOf, type RuleSet } from '../compile/rule-set.js'
import type { CompiledRule } from '../compile/rule.js'
import type { List } from '../match/lists.js'
import { movedItems } from '../moved-items.js'
import { finished } from '../slices.js'
import { startsAgain } from './continued-counts.js'

/** How a new document differs from an old one, and the effect on the counts. */
export interface Comparison {
  readonly added: readonly string[]
  /** Rules that the new document does not have. Their counts expire, unless other rules use them. */
  readonly removed: readonly string[]
  /** Rules whose members or override files differ. They keep their counts, with the new numbers. A rule with a new id has changed if it keeps its count. */
  readonly changed: readonly Change[]
  /** Rules with counts that start again, because their names, their keys or the algorithms of their policies differ. These can be the counts of one plan or override only. */
  readonly afresh: readonly Change[]
  /** The fewest rules without which the others are in their earlier order. The position of a rule can decide which rules apply to a request. */
  readonly moved: readonly string[]
  /** Values, lists, schedules and settings of the document that differ. Each can change the rules that apply to a request. */
  readonly declarations: readonly DeclarationChange[]
}

/** A rule that differs. */
export interface Change {
  readonly rule: string
  /** The members that differ. */
  readonly members: readonly string[]
  /** Such as `limit 60 → 80`. */
  readonly words: string
}

/** A value, list, schedule or setting that differs. */
export interface DeclarationChange {
  /** Such as `values.plan`, `lists.partners`, `schedules.night` or `zone`. */
  readonly name: string
  /** Such as `2 entries added, 1 removed`. */
  readonly words: string
}

/** Compares two sets of rules: the rules by their ids or their counts, and the declarations by their names. */
export function compareRules(old: RuleSet, next: RuleSet): Comparison {
  const [before, after] = [byId(old), byId(next)]
  const added = [...after.values()].filter(({ id }) => !before.has(id))
  const removed = new Set([...before.values()].filter(({ id }) => !after.has(id)))
  const changed: Change[] = []
  const afresh: Change[] = []
  const earlierOf = new Map<CompiledRule, CompiledRule>()
  for (const rule of after.values()) {
    const earlier = before.get(rule.id) ?? renamed(rule, removed)
    if (earlier === undefined) continue
    earlierOf.set(rule, earlier)
    removed.delete(earlier)
    const change = changeOf(earlier, rule)
    if (change === undefined) continue
    if (startsAgain(earlier, rule, before.values())) afresh.push(change)
    else changed.push(change)
  }
  const moved = finished(movedItems(after.values(), (rule) => earlierOf.get(rule)?.number))
  return {
    added: idsOf(added.filter((rule) => !earlierOf.has(rule))),
    removed: idsOf(removed),
    changed,
    afresh,
    moved: idsOf(moved),
    declarations: declarationChanges(old, next),
  }
}

function byId(set: RuleSet): ReadonlyMap<string, CompiledRule> {
  return new Map(partsOf(set).rules.map((rule) => [rule.id, rule]))
}

function idsOf(rules: Iterable<CompiledRule>): readonly string[] {
  return Array.from(rules, ({ id }) => id)
}

/** The removed rule whose count a rule with a new id uses. */
function renamed(
  { action }: CompiledRule,
  removed: Iterable<CompiledRule>,
): CompiledRule | undefined {
  if (action.type !== 'limit') return undefined
  return [...removed].find(
    (old) => old.action.type === 'limit' && old.action.count === action.count,
  )
}

function changeOf(old: CompiledRule, next: CompiledRule): Change | undefined {
  const members = new Map<string, string>()
  compareMembers('', old.declaration, next.declaration, members)
  const inFile = differenceInWords('override', overridesIn(old), overridesIn(next))
  if (inFile !== undefined) members.set('overrides.file', inFile)
  if (members.size === 0) return undefined
  const words = [...members].map(([member, change]) => `${member} ${change}`).join(', ')
  return { rule: next.id, members: [...members.keys()], words }
}

/** The overrides in the file of a rule. */
function overridesIn({ action, declaration }: CompiledRule): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const { entries = {}, file } = declaration.overrides ?? {}
  if (action.type !== 'limit' || file === undefined) return found
  for (const { value, key } of action.variants.overrides()) {
    if (!Object.hasOwn(entries, value)) found.set(value, key)
  }
  return found
}

const declared = ['values', 'lists', 'schedules'] as const
const settings = ['zone', 'caseSensitive'] as const

function declarationChanges(old: RuleSet, next: RuleSet): readonly DeclarationChange[] {
  const members = new Map<string, string>()
  for (const part of declared) {
    compareNames(part, old.document[part] ?? {}, next.document[part] ?? {}, members)
  }
  const { lists } = partsOf(old)
  for (const [name, list] of partsOf(next).lists) {
    const before = lists.get(name)
    const words = before && differenceInWords('entry', entriesOf(before), entriesOf(list))
    if (words !== undefined) members.set(`lists.${name}`, words)
  }
  for (const setting of settings) {
    const [one, two] = [old.document[setting], next.document[setting]]
    if (one !== two) members.set(setting, `${inWords(one)} → ${inWords(two)}`)
  }
  return [...members].map(([name, words]) => ({ name, words }))
}

function compareNames(
  part: string,
  old: Readonly<Record<string, unknown>>,
  next: Readonly<Record<string, unknown>>,
  members: Map<string, string>,
): void {
  for (const name of new Set([...Object.keys(old), ...Object.keys(next)])) {
    const [one, two] = [own(old, name), own(next, name)]
    if (JSON.stringify(one) === JSON.stringify(two)) continue
    members.set(`${part}.${name}`, `${inWords(one)} → ${inWords(two)}`)
  }
}

function own(record: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined
}

/** The entries of a list, those of its file included. */
function entriesOf({ kind, texts, ranges }: List): ReadonlyMap<string, string> {
  const keys = kind === 'text' ? [...texts] : ranges.map(({ first, last }) => `${first}-${last}`)
  return new Map(keys.map((key) => [key, '']))
}

/** Such as `2 entries added, 1 removed`. Undefined if both are equal. */
function differenceInWords(
  noun: 'entry' | 'override',
  old: ReadonlyMap<string, string>,
  next: ReadonlyMap<string, string>,
): string | undefined {
  const counts = { added: 0, changed: 0, removed: 0 }
  for (const [key, value] of next) {
    if (!old.has(key)) counts.added++
    else if (old.get(key) !== value) counts.changed++
  }
  for (const key of old.keys()) if (!next.has(key)) counts.removed++
  const parts = Object.entries(counts).filter(([, count]) => count > 0)
  if (parts.length === 0) return undefined
  const plural = noun === 'entry' ? 'entries' : 'overrides'
  return parts
    .map(([what, count], i) =>
      i > 0 ? `${count} ${what}` : `${count} ${count === 1 ? noun : plural} ${what}`,
    )
    .join(', ')
}

/** Notes can change without changing a rule. */
const unimportant = new Set(['note'])

function compareMembers(
  prefix: string,
  old: object,
  next: object,
  members: Map<string, string>,
): void {
  const before = new Map<string, unknown>(Object.entries(old))
  const after = new Map<string, unknown>(Object.entries(next))
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const [one, two] = [before.get(name), after.get(name)]
    if (unimportant.has(name) || JSON.stringify(one) === JSON.stringify(two)) continue
    if (isRecord(one) && isRecord(two)) compareMembers(`${prefix}${name}.`, one, two, members)
    else members.set(`${prefix}${name}`, `${inWords(one)} → ${inWords(two)}`)
  }
}

function inWords(value: unknown): string {
  if (value === undefined) return 'none'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > longestWords ? `${text.slice(0, longestWords - 1)}…` : text
}

/** A list can have thousands of entries. */
const longestWords = 120

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
