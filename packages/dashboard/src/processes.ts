import type { ClearedKey } from './collect/cleared-keys.js'
import type { NamedPolicies } from './collect/key-policies.js'
import type { Collected } from './collect/subscription.js'
import { dataOf, type ProcessData } from './data/process-data.js'
import { rulesData, type DashboardRules, type RulesData } from './data/rules-data.js'
import { Others, type OthersData } from './share/others.js'
import { publisherOf, thisProcess, type Publisher, type Source } from './share/publisher.js'
import type { DashboardShare } from './share/share.js'

/** How often a process looks whether its rules are those of their source. */
const everyMs = 5000

/** The data of this process, and those of the others. */
export class Processes implements Source {
  readonly #collected: Collected
  readonly #rules: DashboardRules | undefined
  readonly #others: Others
  readonly #publisher: Publisher | undefined
  readonly #timer: NodeJS.Timeout | undefined
  /** Since when the rules are not those of their source. */
  #refusedAt: number | undefined

  constructor(
    collected: Collected,
    rules: DashboardRules | undefined,
    share: DashboardShare | undefined,
  ) {
    this.#collected = collected
    this.#rules = rules
    this.#others = new Others(share, thisProcess)
    this.#publisher = share && publisherOf(share)
    this.#publisher?.add(this)
    if (rules === undefined) return
    this.#timer = setInterval(() => this.refusedAt(), everyMs).unref()
    this.refusedAt()
  }

  now(): number {
    return this.#collected.collector.now()
  }

  own(): ProcessData {
    const { collector, stores } = this.#collected
    return dataOf(collector, stores.views(), this.rules())
  }

  rules(): readonly RulesData[] {
    return this.#rules === undefined ? [] : [rulesData(this.#rules)]
  }

  async others(): Promise<OthersData> {
    const others = await this.#others.read()
    const error = others.error ?? this.#publisher?.error
    const cleared = [...this.cleared(), ...others.cleared]
    return { ...others, cleared, ...(error === undefined ? {} : { error }) }
  }

  /** The policies of the last decision on a key, as far as this process has made it and knows it. */
  policiesOf(limiter: string, key: string): NamedPolicies {
    return this.#collected.collector.keyPolicies.of(limiter, key)
  }

  cleared(): readonly ClearedKey[] {
    return this.#collected.collector.cleared.recent(this.now())
  }

  clear(cleared: readonly ClearedKey[]): void {
    for (const one of cleared) this.#collected.collector.clear(one)
  }

  /** Ends the denials of a key in all processes, because an act allows it again. */
  clearKey(limiter: string, key: string): void {
    const { collector } = this.#collected
    const one = { limiter, key, at: collector.now() }
    collector.clear(one)
    collector.cleared.add(one)
    this.#publisher?.write()
  }

  /** Since when the rules are not those of their source, as far as this process has looked: every five seconds, and at each request of the page. */
  refusedAt(): number {
    const now = this.now()
    if (this.#rules?.state().stale === undefined) this.#refusedAt = undefined
    else this.#refusedAt ??= now
    return this.#refusedAt ?? now
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#others.close()
    this.#collected.release()
    await this.#publisher?.delete(this)
  }
}
