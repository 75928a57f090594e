import { channel } from 'node:diagnostics_channel'
import { compareRules } from '../compile/compare.js'
import type { RuleSet } from '../compile/rule-set.js'
import { rulesErrorFrom, type Finding, type RulesError } from '../errors.js'

/** An event of the channel `sluice:rules`: the result of reading a document. */
export interface RulesEvent {
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
  readonly removed: readonly string[]
}

const events = channel('sluice:rules')

/** Publishes an event. It is made only if the channel has a subscriber. */
export function publish(event: () => RulesEvent): void {
  if (events.hasSubscribers) events.publish(event())
}

/** Warns that the source has no valid document. A subscriber of the channel changes nothing: it may only count events, or wait for other ones. */
export function warnOfStale(name: string, error: RulesError): void {
  process.emitWarning(rulesErrorFrom(error, 'SLUICE_RULES_STALE', name, error.message))
}

/** The changes of the rules. */
export function changesBetween(before: RuleSet | undefined, now: RuleSet): RuleChanges {
  if (before === undefined) {
    return { added: now.document.rules.map(({ id }) => id), changed: [], removed: [] }
  }
  const { added, changed, afresh, removed } = compareRules(before, now)
  return { added, changed: [...changed, ...afresh].map(({ rule }) => rule), removed }
}
