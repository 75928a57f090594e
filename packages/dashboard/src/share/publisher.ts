import { randomUUID } from 'node:crypto'
import { clearedText, type ClearedKey } from '../collect/cleared-keys.js'
import type { ProcessData } from '../data/process-data.js'
import type { RulesData } from '../data/rules-data.js'
import { readCleared } from '../data/read-snapshot.js'
import { writeSnapshot } from '../data/snapshot.js'
import { bounded } from './bounded.js'
import { reasonOf } from './others.js'
import type { DashboardShare } from './share.js'

/** How often a process writes its data. */
const everyMs = 5000

/** How long the end of a dashboard waits for Redis. */
const removeMs = 250

/** The id of this process, for all of its dashboards: its data must not count twice. */
export const thisProcess: string = randomUUID()

/** A dashboard that shares its data. */
export interface Source {
  own(): ProcessData
  rules(): readonly RulesData[]
  /** The keys that this process has cleared in the last seconds. */
  cleared(): readonly ClearedKey[]
  /** Ends the denials of keys that any process has cleared. */
  clear(cleared: readonly ClearedKey[]): void
}

/** Writes the data of this process for the others: those of all its dashboards with one share together, as one would replace those of another. */
export class Publisher {
  readonly #share: DashboardShare
  readonly #sources = new Set<Source>()
  #timer: NodeJS.Timeout | undefined
  #isWriting = false
  #isAsked = false
  #error: string | undefined

  constructor(share: DashboardShare) {
    this.#share = share
  }

  /** Why the last data were not written. */
  get error(): string | undefined {
    return this.#error
  }

  add(source: Source): void {
    this.#sources.add(source)
    this.#timer ??= setInterval(() => this.write(), everyMs).unref()
    // Not at once, because the application may still connect its client.
    setImmediate(() => this.write()).unref()
  }

  /** Removes the data of this process with its last dashboard, so that they are not counted any longer. */
  async delete(source: Source): Promise<void> {
    this.#sources.delete(source)
    if (this.#sources.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
    try {
      await bounded(this.#share.remove(thisProcess), removeMs, 'Redis')
    } catch {
      // The data end by themselves.
    }
  }

  /** Writes the data, or does so after the write before has ended: the client must not collect calls while Redis is unavailable. */
  write(): void {
    this.#isAsked = true
    if (!this.#isWriting) void this.#writeAll()
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true
    while (this.#isAsked && this.#sources.size > 0) {
      this.#isAsked = false
      try {
        await this.#writeOnce()
        this.#error = undefined
      } catch (error) {
        this.#error = reasonOf(error)
      }
    }
    this.#isWriting = false
  }

  async #writeOnce(): Promise<void> {
    const sources = [...this.#sources]
    const rules = new Map(sources.flatMap((source) => source.rules()).map((one) => [one.name, one]))
    const snapshot = writeSnapshot({ ...sources[0].own(), rules: [...rules.values()] })
    const mine = new Set(sources.flatMap((source) => source.cleared().map(clearedText)))
    const cleared = readCleared(await this.#share.write(thisProcess, snapshot, [...mine]))
    for (const source of sources) source.clear(cleared)
  }
}

const publishers = new WeakMap<DashboardShare, Publisher>()

/** The publisher of a share. */
export function publisherOf(share: DashboardShare): Publisher {
  const publisher = publishers.get(share) ?? new Publisher(share)
  publishers.set(share, publisher)
  return publisher
}
