import type { Decision, DecisionEvent } from '@sluice/core'
import { warnOfFailure } from '@sluice/core/http'
import { ClearedKeys, type ClearedKey } from './cleared-keys.js'
import { decidedPolicies, type DecidedBy } from './decided-policies.js'
import { DeniedKeys } from './denied-keys.js'
import { KeyPolicies } from './key-policies.js'
import { isOfStore, LimiterRecord, type PolicyRecord } from './limiter-record.js'
import { Ring, stepMs, stepOf } from './steps.js'

/** The most limiters. The decisions of any further one are counted together. */
const mostLimiters = 50

/** A clock that is behind the current step by more than this was set back: the series start again. */
const setBackMs = 60_000

/** The most rings of policies, of all limiters. */
const mostRings = 160

/** The most policies, of all limiters. The denials of any further one are counted for its limiter only. */
const mostPolicies = 512

/** The name of the record of all limiters that are too many. */
export const otherLimiters = 'other limiters'

/** A new sketch of keys begins after this number of steps: five minutes. */
const stepsOfSketch = 30

/** A key that would be allowed this soon is not worth telling other processes about. */
const soonMs = 20_000

type Keys = DecisionEvent['keys']

/** A decision of a version of core that has exemptions. */
type MaybeExempt = Decision & { readonly exempt?: true }

/** Collects the decisions of a process: the counts of the last hour, the most frequent keys, and the denied keys. */
export class Collector {
  readonly limiters: Map<string, LimiterRecord> = new Map()
  readonly denied: DeniedKeys = new DeniedKeys()
  readonly cleared: ClearedKeys = new ClearedKeys()
  readonly keyPolicies: KeyPolicies = new KeyPolicies()
  readonly #clock: () => number
  readonly #sample: number
  #step: number
  #sketchStep: number
  #rings = 0
  #policies = 0
  #hasFailed = false

  /** @param sample the share of the allowed decisions that reach the sketches */
  constructor(clock: () => number, sample: number) {
    this.#clock = clock
    this.#sample = sample
    this.#step = stepOf(clock())
    this.#sketchStep = this.#step
  }

  /** Counts a decision. It never throws, because an error of a subscriber would end the process. */
  readonly note = (event: DecisionEvent): void => {
    try {
      this.#note(event)
    } catch (error) {
      if (!this.#hasFailed) warnOfFailure(error)
      this.#hasFailed = true
    }
  }

  /** The time, after all steps before it have ended. */
  now(): number {
    const now = this.#clock()
    const endsAt = (this.#step + 1) * stepMs
    if (now >= endsAt || now < endsAt - setBackMs) this.#advance(now)
    return now
  }

  /** The number of the current step. */
  get step(): number {
    return this.#step
  }

  #note({ limiter, keys, decision, mode }: DecisionEvent): void {
    const now = this.now()
    const record = this.#recordOf(limiter, now)
    // Shadow rules and tags make decisions of their own, besides that of the request.
    const isRequest = mode !== 'shadow' && mode !== 'tagging'
    record.learn(keys, decision, this.#step, this.#mayAddPolicy)
    if (!decision.allowed && isRequest && mode !== 'dryRun') {
      record.denied.add(this.#step)
      this.keyPolicies.note(limiter, keys, decision)
      this.#noteDenial(record, keys, decision, now)
      return
    }
    if (record.hasVaried) this.keyPolicies.note(limiter, keys, decision)
    if (!decision.allowed) {
      record.wouldDeny.add(this.#step)
      for (const name of decision.deniedBy) this.#count(record.policies.get(name), 'wouldDeny')
    }
    if (!isRequest) return
    record[(decision as MaybeExempt).exempt === true ? 'exempt' : 'allowed'].add(this.#step)
    this.#noteAllowed(record, keys, now)
    const times = this.#times()
    if (times > 0) addKeys(record, keys, times)
  }

  /**
   * The number of decisions that one counts as: 0 if it is left out. At random, because if each request makes two decisions, every n-th one could be of one
   * limiter.
   */
  #times(): number {
    if (this.#sample === 1) return 1
    // A count is a whole number.
    return Math.random() < this.#sample ? Math.floor(1 / this.#sample + Math.random()) : 0
  }

  #noteAllowed({ name: limiter }: LimiterRecord, keys: Keys, now: number): void {
    for (const name in keys) {
      const key = keys[name]
      if (this.denied.noteAllowed(limiter, key, keys, now) <= soonMs) continue
      const policies = Object.keys(keys).filter((one) => keys[one] === key)
      this.cleared.add({ limiter, key, at: now, policies })
    }
  }

  /** Ends the denials of a key until a time. */
  clear(cleared: ClearedKey): void {
    this.denied.clear(cleared)
  }

  #noteDenial(record: LimiterRecord, keys: Keys, decision: Decision, now: number): void {
    addKeys(record, keys, 1)
    const decided = decidedPolicies(decision)
    if (isOfStore(decision)) {
      for (const { name, policy } of decided) {
        const known = record.policies.get(name)
        if (known !== undefined) known.policy = policy
      }
    }
    const denying = new Map<string, string[]>()
    for (const name of decision.deniedBy) {
      this.#count(record.policies.get(name), 'denied')
      denying.set(keys[name], [...(denying.get(keys[name]) ?? []), name])
    }
    for (const [key, names] of denying) {
      record.denials.add(key, 1)
      this.denied.add(record.name, key, denialBy(names, decision, decided, now), now)
    }
  }

  #count(policy: PolicyRecord | undefined, outcome: 'denied' | 'wouldDeny'): void {
    if (policy === undefined) return
    if (policy[outcome] === undefined) {
      if (this.#rings >= mostRings) return
      this.#rings++
    }
    policy[outcome] ??= new Ring()
    policy[outcome].add(this.#step)
  }

  readonly #mayAddPolicy = (): boolean => {
    if (this.#policies >= mostPolicies) return false
    this.#policies++
    return true
  }

  #recordOf(name: string, now: number): LimiterRecord {
    const known = this.limiters.get(name)
    if (known !== undefined) return known
    const own = this.limiters.size < mostLimiters - 1 ? name : otherLimiters
    const record = this.limiters.get(own) ?? new LimiterRecord(own, now)
    this.limiters.set(own, record)
    return record
  }

  #advance(now: number): void {
    const to = stepOf(now)
    const isSetBack = to < this.#step
    this.#step = to
    // The times of all data before are those of another clock.
    this.denied.sweep(isSetBack ? Infinity : now)
    if (!isSetBack && to - this.#sketchStep < stepsOfSketch) return
    this.#sketchStep = to
    for (const { requests, denials } of this.limiters.values()) {
      for (const keys of [requests, denials]) {
        keys.rotate(now)
        if (isSetBack) keys.rotate(now)
      }
    }
  }
}

/** Counts each key of a request once. */
function addKeys(record: LimiterRecord, keys: Keys, times: number): void {
  const all = Object.values(keys)
  if (all.length === 1) record.requests.add(all[0], times)
  else for (const key of new Set(all)) record.requests.add(key, times)
}

/** @param names the policies that deny the key */
function denialBy(
  names: readonly string[],
  { policies, source }: Decision,
  decided: readonly DecidedBy[],
  now: number,
) {
  const waits = names.map((name) => policies[name].retryAfterMs)
  const untilAt = waits.includes(null) ? null : now + Math.max(0, ...waits.map(Number))
  // The block of a decision without counts is a guess.
  const isBlocked =
    source !== 'closed' &&
    decided.some(({ name, blockedMs }) => blockedMs > 0 && names.includes(name))
  return { untilAt, policies: names, source, isBlocked }
}
