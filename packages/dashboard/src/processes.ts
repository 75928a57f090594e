import { randomUUID } from 'node:crypto'
import type { Collected } from './collect/subscription.js'
import { dataOf, type ClearedKey, type ProcessData } from './data/process-data.js'
import { rulesData, type DashboardRules } from './data/rules-data.js'
import type { KeyIds } from './keys/key-ids.js'
import { Others, type OthersData } from './share/others.js'
import { Publisher } from './share/publisher.js'
import type { DashboardShare } from './share/share.js'

/** How often a process writes its data. */
const everyMs = 5000

/** How long an act on a key ends the denials that other processes show of it: until each of them has written again. */
const clearedMs = 20_000

/** The most acts that are remembered. */
const mostCleared = 100

/** The id of this process, for all of its dashboards: its data must not count twice. */
const thisProcess = randomUUID()

/** The data of this process, and those of the others. */
export class Processes {
  readonly #collected: Collected
  readonly #rules: DashboardRules | undefined
  readonly #others: Others
  readonly #publisher: Publisher | undefined
  readonly #timer: NodeJS.Timeout | undefined
  #cleared: ClearedKey[] = []
  #isClosed = false
  /** Since when the rules are not those of their source. */
  #refusedAt: number | undefined

  constructor(
    collected: Collected,
    rules: DashboardRules | undefined,
    share: DashboardShare | undefined,
    ids: KeyIds,
  ) {
    this.#collected = collected
    this.#rules = rules
    this.#others = new Others(share, thisProcess)
    this.#publisher = share === undefined ? undefined : new Publisher(share, thisProcess, ids)
    if (share === undefined && rules === undefined) return
    this.#timer = setInterval(() => this.#tick(), everyMs).unref()
    // Not at once, because the application may still connect its client.
    setImmediate(() => this.#tick()).unref()
  }

  now(): number {
    return this.#collected.collector.now()
  }

  own(): ProcessData {
    const { collector, stores } = this.#collected
    const now = this.now()
    this.#cleared = this.#cleared.filter(({ at }) => at > now - clearedMs)
    const rules = this.#rules === undefined ? undefined : rulesData(this.#rules)
    return dataOf(collector, stores.views(), rules, this.#cleared)
  }

  async others(): Promise<OthersData> {
    const others = await this.#others.read()
    const error = others.error ?? this.#publisher?.error
    return error === undefined ? others : { ...others, error }
  }

  /** Ends the denials of a key, because an act allows it again. */
  clear(limiter: string, key: string): void {
    const { collector } = this.#collected
    const record = collector.limiters.get(limiter)
    if (record !== undefined) collector.denied.clear(record.deniedPlaces, key)
    this.#cleared = [...this.#cleared, { limiter, key, at: collector.now() }].slice(-mostCleared)
  }

  /** Since when the rules are not those of their source, as far as this process has looked: every five seconds, and at each request of the page. */
  refusedAt(): number {
    const now = this.now()
    if (this.#rules?.state().stale === undefined) this.#refusedAt = undefined
    else this.#refusedAt ??= now
    return this.#refusedAt ?? now
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    this.#others.close()
    this.#collected.release()
    await this.#publisher?.remove()
  }

  #tick(): void {
    if (this.#isClosed) return
    this.refusedAt()
    void this.#publisher?.write(() => this.own())
  }
}
