import { channel } from 'node:diagnostics_channel'
import { SluiceError, type Limiter, type Policy } from '@sluice/core'
import { namedPolicies } from '@sluice/core/internal'
import type { ActEvent, Visitor } from '../act-event.js'
import { mergedGroups } from '../data/merge.js'
import type { LimiterData } from '../data/process-data.js'
import { rulesOf, varyingCounts } from '../data/rules-data.js'
import { messagesFor } from '../data/shown.js'
import type { Shown } from '../data/view-of.js'
import type { Processes } from '../processes.js'
import { quoted, Refusal, refusal } from '../refusal.js'
import { bounded } from '../share/bounded.js'
import { reasonOf } from '../share/others.js'
import type { DashboardShare } from '../share/share.js'
import type { ActView, KeyView, Role, SearchView } from '../view.js'
import { carryOutAct, readAct, type ActRequest } from './acts.js'
import type { NamedPolicies } from '../collect/key-policies.js'
import { countedText, knownKeys } from './known-keys.js'
import { meantKeys } from './meant-keys.js'
import { lookAt, type KeyLook, type KnownPolicies } from './look.js'

/** The longest that a request waits for a limiter, whose own `timeout` is much shorter. */
const waitMs = 5000

const acted = channel('sluice:act')

/** The data of each process about a limiter. */
type Collected = readonly LimiterData[]

/** Looks at single keys, and acts on them. */
export class KeyDesk {
  readonly #limiters: ReadonlyMap<string, Limiter>
  readonly #share: DashboardShare | undefined
  readonly #processes: Processes
  readonly #shown: Shown

  constructor(
    limiters: ReadonlyMap<string, Limiter>,
    share: DashboardShare | undefined,
    processes: Processes,
    shown: Shown,
  ) {
    this.#limiters = limiters
    this.#share = share
    this.#processes = processes
    this.#shown = shown
  }

  /** The answer of `api/key`. With `isExact`, a key with this text is meant, also if it is not counted and keys of another form are. */
  async key(name: string, text: string, isExact: boolean, { role }: Visitor): Promise<KeyView> {
    const limiter = this.#limiterOf(name)
    const collected = await this.#collectedOf(name)
    const key = countedText(text)
    const look = await this.#look(limiter, key, this.#knownOf(limiter, collected, key))
    if (isExact || look.isCounted) return this.#viewOf(limiter, key, look, role)
    const [meant = { key, look }, ...others] = await this.#meant(limiter, text, collected)
    if (others.length === 0) return this.#viewOf(limiter, meant.key, meant.look, role)
    const texts = [meant, ...others].map((one) => this.#shown.keyFor(role)(one.key))
    throw refusal('SLUICE_VIEW_KEY_AMBIGUOUS', texts.join(', '))
  }

  /** The counted keys that a visitor can mean by a text. */
  async #meant(limiter: Limiter, text: string, collected: Collected): Promise<readonly FoundKey[]> {
    const keys = meantKeys(text, knownKeys(collected))
    const looks = keys.map(async (key) => {
      return { key, look: await this.#look(limiter, key, this.#knownOf(limiter, collected, key)) }
    })
    return (await Promise.all(looks)).filter(({ look }) => look.isCounted)
  }

  /** A key that a limiter has counted in this process in the last minutes. */
  async countedKey(name: string): Promise<FoundKey | undefined> {
    const limiter = this.#limiterOf(name)
    const collected = await this.#collectedOf(name)
    const [key] = knownKeys(collected)
    if (key === undefined) return undefined
    return { key, look: await this.#look(limiter, key, this.#knownOf(limiter, collected, key)) }
  }

  /** The answer of `api/search`. */
  async search(name: string, cursor: string | undefined, { role }: Visitor): Promise<SearchView> {
    const limiter = this.#limiterOf(name)
    if (this.#share === undefined) throw refusal('SLUICE_SEARCH_UNAVAILABLE')
    const found = await bounded(this.#share.search(name, cursor), waitMs, 'The search').catch(
      (error: unknown) => {
        if (error instanceof Refusal) throw error
        throw refusal('SLUICE_SEARCH_FAILED', messagesFor(role)('', reasonOf(error)))
      },
    )
    const known = this.#knownOf(limiter, await this.#collectedOf(name))
    const keys: KeyView[] = []
    for (let i = 0; i < found.keys.length; i += callsAtOnce) {
      const some = found.keys.slice(i, i + callsAtOnce)
      const looks = await Promise.all(some.map(async (key) => this.#look(limiter, key, known)))
      looks.forEach((look, k) => {
        if (look.source !== 'store') throw refusal('SLUICE_SEARCH_FAILED', 'it does not answer')
        if (isBlocked(look)) keys.push(this.#viewOf(limiter, some[k], look, role))
      })
    }
    return { keys, cursor: found.cursor ?? null, scanned: found.keys.length }
  }

  /** Acts on a key, and publishes it. */
  async act(body: Readonly<Record<string, unknown>>, by: Visitor): Promise<ActView> {
    const request = readAct(body)
    const limiter = this.#limiterOf(request.limiter)
    const collected = await this.#collectedOf(request.limiter)
    const key = countedText(request.key)
    try {
      const { before, after } = await bounded(
        this.#carryOut(limiter, key, request, this.#knownOf(limiter, collected, key)),
        waitMs,
        'The act',
      )
      this.#publish(key, request, by, undefined)
      return { key: this.#viewOf(limiter, key, after, by.role), wasCounted: before.isCounted }
    } catch (error) {
      this.#publish(key, request, by, error)
      throw error
    }
  }

  async #carryOut(
    limiter: Limiter,
    key: string,
    request: ActRequest,
    known: KnownPolicies,
  ): Promise<{ readonly before: KeyLook; readonly after: KeyLook }> {
    const before = await this.#look(limiter, key, known)
    const { calls, source, policies } = before
    if (source !== 'store') throw refusal('SLUICE_VIEW_STORE_UNAVAILABLE')
    const varying = policies.find(({ isUncertain }) => isUncertain)
    if (request.act === 'penalize' && varying !== undefined) {
      throw refusal('SLUICE_VIEW_LIMIT_VARIES', quoted(varying.name))
    }
    // Before the first of several calls, so that none of them resets a part.
    if (request.act === 'reset' && isBlocked(before)) throw refusal('SLUICE_VIEW_KEY_BLOCKED')
    for (const { keys, options } of calls) await carryOutAct(limiter, request, keys, options)
    const after = await this.#look(limiter, key, known)
    if (after.source !== 'store') throw refusal('SLUICE_VIEW_STORE_UNAVAILABLE')
    // A block denies also a key that has a grant.
    const isAllowed = endsDenials.has(request.act) && !isBlocked(after)
    if (isAllowed) this.#processes.clearKey(limiter.name, key)
    return { before, after }
  }

  #publish(key: string, request: ActRequest, by: Visitor, error: unknown): void {
    if (!acted.hasSubscribers) return
    const { limiter, act, length, units, reason } = request
    const event: ActEvent = {
      limiter,
      key,
      act,
      ...(length === undefined ? {} : { length }),
      ...(units === undefined ? {} : { units }),
      reason,
      by,
      at: this.#processes.now(),
      ok: error === undefined,
      ...(error === undefined ? {} : { error: failureOf(error) }),
    }
    acted.publish(event)
  }

  #limiterOf(name: string): Limiter {
    const limiter = this.#limiters.get(name)
    if (limiter === undefined) throw refusal('SLUICE_VIEW_LIMITER_UNKNOWN', quoted(name))
    return limiter
  }

  async #collectedOf(name: string): Promise<Collected> {
    const { data } = await this.#processes.others()
    return [this.#processes.own(), ...data].flatMap(({ limiters }) =>
      limiters.filter((limiter) => limiter.name === name),
    )
  }

  async #look(limiter: Limiter, key: string, known: KnownPolicies): Promise<KeyLook> {
    const look = async (): Promise<KeyLook> =>
      lookAt(limiter, key, { ...known, ofKey: await this.#policiesOf(limiter, key) })
    return bounded(look(), waitMs, 'The limiter')
  }

  /** The policies of a key: those of its last decision, or those that the application names. */
  async #policiesOf({ name }: Limiter, key: string): Promise<NamedPolicies> {
    const named = await this.#shown.policiesOf?.(key, name)
    const seen = this.#processes.policiesOf(name, key)
    return named === undefined ? seen : new Map([...seen, ...Object.entries(namedPolicies(named))])
  }

  /** The policies of a limiter. Those that deny the key come first. */
  #knownOf({ name }: Limiter, collected: Collected, key?: string): KnownPolicies {
    const groups = mergedGroups(collected.flatMap((data) => data.groups))
    const denying = collected.flatMap(({ runs }) => runs).find((run) => run.key === key)
    const likely = groups.filter((names) => denying?.policies.some((one) => names.includes(one)))
    const rules = this.#shown.rules?.name === name ? this.#shown.rules : undefined
    const seen = new Map<string, Policy>()
    const policies = collected.flatMap((data) => data.policies)
    for (const { name: one, policy } of policies) if (policy !== undefined) seen.set(one, policy)
    const varying = rules
      ? varyingCounts(rules)
      : policies.filter(({ varies }) => varies).map((one) => one.name)
    const all = new Map([...seen, ...(rules?.current.policies ?? [])])
    const first = likely.flat().flatMap((one): [string, Policy][] => {
      const policy = all.get(one)
      return policy === undefined ? [] : [[one, policy]]
    })
    return { groups, policies: new Map([...first, ...all]), varying: new Set(varying) }
  }

  #viewOf({ name }: Limiter, key: string, look: KeyLook, role: Role): KeyView {
    const { source, policies } = look
    const { rules, keyFor } = this.#shown
    const names = policies.map((policy) => policy.name)
    return {
      limiter: name,
      key: keyFor(role)(key),
      source,
      isCounted: look.isCounted,
      policies,
      ...(rules?.name === name ? { rules: rulesOf(rules, names) } : {}),
    }
  }
}

/** A key, and what its limiter knows of it. */
export interface FoundKey {
  readonly key: string
  readonly look: KeyLook
}

/** The acts after which a key is probably not denied. */
const endsDenials: ReadonlySet<string> = new Set(['unblock', 'reset', 'exempt', 'grant'])

function isBlocked({ policies }: KeyLook): boolean {
  return policies.some(({ blockedMs }) => blockedMs > 0)
}

/** Calls that are made at once share a call to Redis, which should take it less than a millisecond. */
const callsAtOnce = 5

function failureOf(error: unknown): { readonly code: string; readonly message: string } {
  const isOurs = error instanceof SluiceError || error instanceof Refusal
  return { code: isOurs ? error.code : 'SLUICE_VIEW_FAILED', message: reasonOf(error) }
}
