import type { RuleSet } from '../compile/rule-set.js'
import type { RuleDeclaration } from '../document/document.js'

/** How a new document differs from an old one, and the effect on the counts. */
export interface Comparison {
  readonly added: readonly string[]
  /** Rules whose counts expire, because no rule uses them. */
  readonly removed: readonly string[]
  /** Rules whose members differ. Their counts go on under the new numbers. */
  readonly changed: readonly Change[]
  /** Rules whose counts start again, because their policies are of another kind or their keys have other parts. */
  readonly afresh: readonly Change[]
}

/** A rule that differs. */
export interface Change {
  readonly rule: string
  /** The members that differ. */
  readonly members: readonly string[]
  /** Such as `limit 60 → 80`. */
  readonly words: string
}

/** Compares two sets of rules by the ids of their rules. */
export function compareRules(old: RuleSet, next: RuleSet): Comparison {
  const before = byId(old)
  const after = byId(next)
  const changed: Change[] = []
  const afresh: Change[] = []
  for (const [id, rule] of after) {
    const earlier = before.get(id)
    if (earlier === undefined) continue
    const change = changeOf(earlier, rule)
    if (change === undefined) continue
    if (startsAgain(earlier, rule)) afresh.push(change)
    else changed.push(change)
  }
  return {
    added: [...after.keys()].filter((id) => !before.has(id)),
    removed: [...before.keys()].filter((id) => !after.has(id)),
    changed,
    afresh,
  }
}

function byId({ document }: RuleSet): ReadonlyMap<string, RuleDeclaration> {
  return new Map(document.rules.map((rule) => [rule.id, rule]))
}

function changeOf(old: RuleDeclaration, next: RuleDeclaration): Change | undefined {
  const members = new Map<string, string>()
  compareMembers('', old, next, members)
  if (members.size === 0) return undefined
  const words = [...members].map(([member, change]) => `${member} ${change}`).join(', ')
  return { rule: next.id, members: [...members.keys()], words }
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

function startsAgain(old: RuleDeclaration, next: RuleDeclaration): boolean {
  const counts = old.then === undefined && next.then === undefined
  if (!counts) return false
  if ((old.count ?? old.id) !== (next.count ?? next.id)) return true
  if (JSON.stringify(old.key ?? 'ip') !== JSON.stringify(next.key ?? 'ip')) return true
  return kindsOf(old) !== kindsOf(next)
}

/** The kinds of the policies, by the names of their counts. */
function kindsOf({
  limit,
  algorithm = 'slidingWindow',
  policy,
  policies,
}: RuleDeclaration): string {
  if (limit !== undefined) return JSON.stringify([['', [algorithm]]])
  return JSON.stringify(
    Object.entries(policies ?? { '': policy }).map(([name, choice]) => [name, kindsIn(choice)]),
  )
}

function kindsIn(choice: unknown): readonly string[] {
  if (!isRecord(choice)) return []
  if (typeof choice['kind'] === 'string') return [choice['kind']]
  return [...new Set(Object.values(choice).flatMap(kindsIn))].toSorted()
}

function inWords(value: unknown): string {
  return value === undefined ? 'none' : typeof value === 'string' ? value : JSON.stringify(value)
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
