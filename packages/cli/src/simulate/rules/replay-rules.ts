import { unlimited } from '@sluice/core'
import { isSuccess, keysToReset } from '@sluice/core/http'
import type { RuleDecision, RuleSet } from '@sluice/rules'
import {
  nothingAsked,
  resetsOf,
  ruleDecision,
  takesLater,
  uncountedBy,
  type LimitCheck,
  type RuleMatch,
  type CheckResult,
  type CheckResults,
} from '@sluice/rules/internal'
import { isPolicy } from '../../text/policy.js'
import { checkPolicy, type LogPrecision } from '../checks.js'
import type { LogRecord } from '../log/record.js'
import { Heap } from '../log/heap.js'
import { replayOf, type PolicyReplay } from '../policy-replay.js'
import type { Sample } from '../sample.js'
import { KeyTable } from '../tally/key-table.js'
import { Tally } from '../tally/tally.js'
import type { Timeline } from '../tally/timeline.js'
import { RecordFacts, type Table } from './facts.js'
import { deniedKey, keysOf, sampledKey } from './rule-keys.js'

/** A denial of the last request. */
export interface Denial {
  readonly key: string
  readonly number: number
  readonly ordinal: number
}

/** Replays requests against a document of rules. */
export interface RulesReplay {
  readonly set: RuleSet
  readonly replay: PolicyReplay
  readonly keys: KeyTable
  readonly tally: Tally
  /** The requests that could not be judged, and the first of their errors. */
  readonly errors: { count: number; first: string | undefined }
  /** The number of denied requests that the limiter would have delayed first. */
  delayed(): number
  /** Replays the request at `record.at`, and returns its denial. */
  push(record: LogRecord): Denial | undefined
}

export interface RulesReplayOptions {
  readonly sample: Sample
  readonly table: Table | undefined
  readonly timeline: Timeline
  readonly precision: LogPrecision
}

export function createRulesReplay(
  set: RuleSet,
  { sample, table, timeline, precision }: RulesReplayOptions,
): RulesReplay {
  let now = 0
  let delayed = 0
  let facts: RecordFacts | undefined
  const keys = new KeyTable()
  const tally = new Tally(timeline)
  const errors: RulesReplay['errors'] = { count: 0, first: undefined }
  // Each call passes its own policies.
  const replay = replayOf(unlimited(), () => now)
  const { limiter } = replay
  const ends = new Heap<() => void>()
  const checked = new WeakSet<object>()

  function push(record: LogRecord): Denial | undefined {
    if (sample.share < 1 && !sample.has(sampledKey(record))) return undefined
    now = record.at
    while (ends.least <= now) ends.pop()?.()
    const known = (facts ??= new RecordFacts(record, set.document, table))
    known.record = record
    tally.ask(now)
    const judgement = attempted(() => judged(known))
    if (judgement === undefined) return undefined
    if (judgement.type === 'ask') {
      judgement.enforced.forEach(checkOnce)
      judgement.tagging.forEach(checkOnce)
      judgement.shadow.forEach(checkOnce)
    }
    return attempted(() => decided(judgement, record))
  }

  /** Counts the error of a request and continues with the next one. */
  function attempted<T>(work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      errors.count++
      errors.first ??= error instanceof Error ? error.message : String(error)
      return undefined
    }
  }

  function judged(request: RecordFacts): RuleMatch {
    const judgement = set.judge(request, now)
    if ('then' in judgement) throw new Error('the rules wait for a value')
    return judgement
  }

  /** Policies are known when they first apply, because they can depend on a plan, a schedule or an override. */
  function checkOnce({ policies, rules }: LimitCheck): void {
    if (checked.has(policies)) return
    checked.add(policies)
    for (const [name, policy] of Object.entries(policies)) {
      if (isPolicy(policy)) checkPolicy(`rule "${rules.get(name)?.rule}"`, policy, precision)
    }
  }

  function decided(judgement: RuleMatch, record: LogRecord): Denial | undefined {
    const decision = ruleDecision(judgement, asked(judgement, record))
    const numbers = new Map<string, Denial>()
    for (const key of keysOf(judgement)) {
      numbers.set(key, { key, number: keys.add(key), ordinal: keys.ordinal })
    }
    return decision.allowed ? undefined : deny(judgement, decision, record, numbers)
  }

  /** Asks the limits as a server does. A memory store decides at once. */
  function asked(judgement: RuleMatch, record: LogRecord): CheckResults {
    if (judgement.type !== 'ask') return nothingAsked
    const passed: CheckResult[] = []
    for (const check of judgement.enforced) {
      const result = ask(check)
      if (result.decision.allowed) {
        passed.push(result)
        continue
      }
      for (const earlier of passed) settleLater(earlier, record, true)
      return { enforced: result, tagging: [] }
    }
    const tagging = judgement.tagging.map(ask)
    const shadow = judgement.shadow.map(ask).filter(({ decision }) => decision.allowed)
    for (const taken of [passed, tagging, shadow].flat()) settleLater(taken, record)
    const enforced = passed.pop()
    return { enforced, tagging: [...passed, ...tagging] }
  }

  function ask(consumption: LimitCheck): CheckResult {
    const { keys, policies, cost } = consumption
    const ahead = takesLater(consumption) ? limiter.peek(keys, { policies, cost }) : undefined
    const isTaken = ahead?.allowed !== true
    const decision = isTaken ? limiter.consume(keys, { policies, cost }) : ahead
    consumption.onDecision?.(decision)
    return { consumption, decision, isTaken }
  }

  function deny(
    judgement: RuleMatch,
    decision: RuleDecision,
    record: LogRecord,
    numbers: ReadonlyMap<string, Denial>,
  ): Denial {
    const key = deniedKey(judgement, decision, record)
    const denial = numbers.get(key) ?? { key, number: keys.add(key), ordinal: keys.ordinal }
    if (decision.outcome?.type === 'delay') delayed++
    tally.deny(record, key, denial.number, denial.ordinal)
    return denial
  }

  /** At the end of the response, releases leases and refunds rules that do not count such a response. */
  function settleLater(result: CheckResult, record: LogRecord, denied: boolean = false): void {
    const { consumption, decision, isTaken } = result
    const { keys, policies, cost } = consumption
    const { lease } = decision
    const outcome = { status: record.status, aborted: false, denied }
    const uncounted = decision.allowed ? uncountedBy(result, outcome) : []
    const isTakenNow = isTaken === false && uncounted.length === 0
    const refunded = isTaken === false ? [] : uncounted
    const reset = isSuccess(outcome) ? resetsOf(result) : []
    if (lease === undefined && !isTakenNow && refunded.length + reset.length === 0) return
    ends.push(record.at + (record.durationMs ?? 0), () => {
      // A memory store releases it at once.
      void lease?.release()
      if (isTakenNow) limiter.consume(keys, { policies, cost })
      if (refunded.length > 0) limiter.refund(decision, { policies: refunded })
      if (reset.length > 0) limiter.reset(keysToReset(keys, policies, reset), { policies })
    })
  }

  return { set, replay, keys, tally, errors, delayed: () => delayed, push }
}
