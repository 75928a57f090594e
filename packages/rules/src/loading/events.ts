import { channel } from 'node:diagnostics_channel'
import type { RulesDocument } from '../document/document.js'
import { rulesErrorFrom, type Finding, type RulesError } from '../errors.js'
import { movedItems } from '../moved-items.js'
import { createPause, finishedInSlices, type Slices } from '../slices.js'

/** An event of the channel `sluice:rules`. */
export type RulesEvent = DocumentEvent | LateOverrideEvent

/** The function `overrides` took longer than 250 ms, so the rule's own limit applied. */
export interface LateOverrideEvent {
  readonly state: 'override-late'
  readonly rule: string
  readonly limitMs: number
}

/** The result of reading a document. */
export interface DocumentEvent {
  /** The name of the rules; undefined if none were loaded. */
  readonly name: string | undefined
  /**
   * `loaded`: a document replaced the previous one. `rejected`: a document is invalid, and the previous one stays. `source-failed`: the source could
   * not be read, and the previous document stays. A failure that lasts is published once.
   */
  readonly state: 'loaded' | 'rejected' | 'source-failed'
  /** The version of the current rules. */
  readonly version: string | undefined
  /** The reason why a document was rejected or the source failed. */
  readonly error: RulesError | undefined
  /** How a loaded document differs from the previous one. */
  readonly changes: RuleChanges | undefined
  /** Probable mistakes in a loaded document. */
  readonly warnings: readonly Finding[]
}

/** The ids of rules. */
export interface RuleChanges {
  readonly added: readonly string[]
  readonly changed: readonly string[]
  /** The fewest rules without which the others are in their previous order. The position of a rule can decide which rules apply to a request. */
  readonly moved: readonly string[]
  readonly removed: readonly string[]
}

const events = channel('sluice:rules')

/** Publishes an event. It is made only if the channel has a subscriber. */
export function publish(event: () => DocumentEvent): void {
  if (events.hasSubscribers) events.publish(event())
}

/** Warns that the source has no valid document. A subscriber of the channel changes nothing: it may only count events, or wait for other ones. */
export function warnOfStale(name: string, error: RulesError): void {
  process.emitWarning(rulesErrorFrom(error, 'SLUICE_RULES_STALE', name, error.message))
}

/** The changes for an event. Undefined if the channel has no subscriber, because a comparison of thousands of rules takes some time. */
export async function changesToTell(
  before: RulesDocument | undefined,
  now: RulesDocument,
): Promise<RuleChanges | undefined> {
  if (!events.hasSubscribers) return undefined
  return finishedInSlices(changesBetween(before, now), createPause())
}

/** Compares the rules of two documents. */
export function* changesBetween(
  before: RulesDocument | undefined,
  now: RulesDocument,
): Slices<RuleChanges> {
  const old = yield* rulesById(before)
  const positions = new Map([...old.keys()].map((id, position) => [id, position]))
  const added: string[] = []
  const changed: string[] = []
  for (const [id, rule] of yield* rulesById(now)) {
    if (!old.has(id)) added.push(id)
    else if (old.get(id) !== rule) changed.push(id)
    old.delete(id)
  }
  const ids = now.rules.map(({ id }) => id)
  const moved = yield* movedItems(ids, (id) => positions.get(id))
  return { added, changed, moved, removed: [...old.keys()] }
}

function* rulesById(document: RulesDocument | undefined): Slices<Map<string, string>> {
  const rules = new Map<string, string>()
  for (const rule of document?.rules ?? []) {
    rules.set(rule.id, JSON.stringify(rule))
    yield
  }
  return rules
}
