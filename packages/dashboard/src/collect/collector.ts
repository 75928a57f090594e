import type { Decision, DecisionEvent } from '@sluice/core'
import { warnOfFailure } from '@sluice/core/http'
import { decidedPolicies, type DecidedBy } from './decided-policies.js'
import { ClearedKeys, type ClearedKey } from './cleared-keys.js'
import { DeniedKeys } from './denied-keys.js'
import { KeyMemory } from './key-memory.js'
import { KeyPolicies } from './key-policies.js'
import { isOfStore, LimiterRecord, type PolicyRecord } from './limiter-record.js'
import { Names } from './names.js'
import { Sample } from './sample.js'
import { createRing, setBackMs, stepCount, stepMs, stepOf } from './steps.js'

/** The most limiters. The decisions of any further one are counted together. */
const mostLimiters = 50

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

/** Collects the decisions of a process: the counts of the last hour, the most frequent keys, and the denied keys. At most about 5 MB. */
export class Collector {
  readonly limiters: Map<string, LimiterRecord> = new Map()
  readonly denied: DeniedKeys = new DeniedKeys()
  readonly cleared: ClearedKeys = new ClearedKeys()
  readonly keyPolicies: KeyPolicies = new KeyPolicies()
  readonly #memory = new KeyMemory()
  readonly #names = new Names()
  readonly #clock: () => number
  readonly #sample: Sample
  #step: number
  #stepEndsAt: number
  #sketchStep: number
  #rings = 0
  #policies = 0
  #hasFailed = false

  /** @param sample the share of the allowed decisions that reach the sketches */
  constructor(clock: () => number, sample: number) {
    this.#clock = clock
    this.#sample = new Sample(sample)
    this.#step = stepOf(clock())
    this.#stepEndsAt = (this.#step + 1) * stepMs
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
    if (now >= this.#stepEndsAt || now < this.#stepEndsAt - setBackMs) this.#advance(now)
    return now
  }

  /** The number of the current step. */
  get step(): number {
    return this.#step
  }

  #note({ limiter, keys, decision, mode }: DecisionEvent): void {
    const now = this.now()
    const record = this.#recordOf(limiter, now)
    const place = this.#step % stepCount
    // Shadow rules and tags make decisions of their own, besides that of the request.
    const isRequest = mode !== 'shadow' && mode !== 'tagging'
    if (!decision.allowed && isRequest && mode !== 'dryRun') {
      record.denied[place]++
      this.#noteDenial(record, keys, decision, now)
      this.keyPolicies.note(limiter, keys, decision)
      return
    }
    record.learn(keys, decision, this.#step, this.#mayAddPolicy)
    if (record.hasVaried) this.keyPolicies.note(limiter, keys, decision)
    if (!decision.allowed) {
      record.wouldDeny[place]++
      for (const name of decision.deniedBy) {
        this.#countDenial(record.policies.get(name), 'wouldDeny')
      }
    }
    if (!isRequest) return
    if ((decision as MaybeExempt).exempt === true) record.exempt[place]++
    else record.allowed[place]++
    if (record.deniedPlaces.size > 0) this.#noteAllowed(record, keys, now)
    const times = this.#sample.take()
    if (times > 0) this.#addKeys(record, keys, times)
  }

  #noteAllowed({ name: limiter, deniedPlaces }: LimiterRecord, keys: Keys, now: number): void {
    for (const name in keys) {
      const key = keys[name]
      const left = this.denied.noteAllowed(deniedPlaces, key, keys, now)
      if (left <= soonMs) continue
      const policies = Object.keys(keys).filter((one) => keys[one] === key)
      this.cleared.add({ limiter, key, at: now, policies })
    }
  }

  /** Ends the denials of a key until a time. */
  clear(cleared: ClearedKey): void {
    const record = this.limiters.get(cleared.limiter)
    if (record !== undefined) this.denied.clear(record.deniedPlaces, cleared)
  }

  #noteDenial(record: LimiterRecord, keys: Keys, decision: Decision, now: number): void {
    record.learn(keys, decision, this.#step, this.#mayAddPolicy)
    this.#addKeys(record, keys, 1)
    const decided = decidedPolicies(decision)
    if (isOfStore(decision)) {
      for (const { name, policy } of decided) {
        const known = record.policies.get(name)
        if (known !== undefined) known.policy = policy
      }
    }
    const { deniedBy } = decision
    for (const name of deniedBy) this.#countDenial(record.policies.get(name), 'denied')
    if (deniedBy.length === 1) {
      this.#noteDeniedKey(record, keys[deniedBy[0]], deniedBy, decision, decided, now)
      return
    }
    const denying = new Map<string, string[]>()
    for (const name of deniedBy) {
      const names = denying.get(keys[name])
      if (names === undefined) denying.set(keys[name], [name])
      else names.push(name)
    }
    for (const [key, names] of denying) {
      this.#noteDeniedKey(record, key, names, decision, decided, now)
    }
  }

  /** @param names the policies that deny the key */
  #noteDeniedKey(
    record: LimiterRecord,
    key: string | undefined,
    names: readonly string[],
    { policies, source }: Decision,
    decided: readonly DecidedBy[],
    now: number,
  ): void {
    if (key === undefined) return
    this.#memory.add(record.denials, key, 1)
    let until = now
    for (const name of names) {
      until = Math.max(until, now + (policies[name].retryAfterMs ?? Infinity))
    }
    let isBlocked = false
    for (const { name, blockedMs } of decided) {
      // The block of a decision without counts is a guess.
      if (blockedMs > 0 && source !== 'closed' && names.includes(name)) isBlocked = true
    }
    const denial = { until, policies: this.#names.listOf(names), source, isBlocked }
    this.denied.add(record.deniedPlaces, key, denial, now)
  }

  #countDenial(policy: PolicyRecord | undefined, counts: 'denied' | 'wouldDeny'): void {
    if (policy === undefined) return
    let ring = policy[counts]
    if (ring === undefined) {
      if (this.#rings >= mostRings) return
      this.#rings++
      ring = createRing()
      policy[counts] = ring
    }
    ring[this.#step % stepCount]++
  }

  readonly #mayAddPolicy = (): boolean => {
    if (this.#policies >= mostPolicies) return false
    this.#policies++
    return true
  }

  /** Counts each key of a request once. */
  #addKeys(record: LimiterRecord, keys: Keys, times: number): void {
    let first: string | undefined
    let others: string[] | undefined
    for (const name in keys) {
      const key = keys[name]
      if (first === undefined) {
        first = key
        this.#memory.add(record.requests, key, times)
      } else if (key !== first && others?.includes(key) !== true) {
        others = [...(others ?? []), key]
        this.#memory.add(record.requests, key, times)
      }
    }
  }

  #recordOf(name: string, now: number): LimiterRecord {
    const known = this.limiters.get(name)
    if (known !== undefined) return known
    const isOne = this.limiters.size < mostLimiters - 1
    const own = isOne ? name : otherLimiters
    let record = this.limiters.get(own)
    if (record === undefined) {
      record = new LimiterRecord(own, now)
      this.limiters.set(own, record)
      this.#memory.watch(record.requests)
      this.#memory.watch(record.denials)
    }
    return record
  }

  #advance(now: number): void {
    const to = stepOf(now)
    const isSetBack = to < this.#step
    const after = isSetBack ? -Infinity : this.#step
    for (const record of this.limiters.values()) record.clearSteps(after, to)
    this.#step = to
    this.#stepEndsAt = (to + 1) * stepMs
    // The times of all data before are those of another clock.
    this.denied.sweep(isSetBack ? Infinity : now)
    if (isSetBack) this.#memory.rotate(now)
    else if (to - this.#sketchStep < stepsOfSketch) return
    this.#sketchStep = to
    this.#memory.rotate(now)
  }
}
