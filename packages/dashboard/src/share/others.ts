import type { ClearedKey } from '../collect/cleared-keys.js'
import type { SharedData } from '../data/process-data.js'
import { readCleared, readSnapshot } from '../data/read-snapshot.js'
import { bounded } from './bounded.js'
import type { DashboardShare, Snapshot, Snapshots } from './share.js'

/** The longest that a request waits for the data of other processes. */
const waitMs = 250

/** Data of other processes are used for this time: each of them writes every five seconds. */
const freshMs = 1000

/** A page that is open asks at least this often. Meanwhile the data are read in advance, so that its requests do not wait for Redis. */
const asksWithinMs = 5000

/** The data of other processes. */
export interface OthersData {
  readonly state: 'none' | 'ok' | 'failed'
  readonly error?: string
  readonly notMerged: number
  readonly data: readonly SharedData[]
  /** Keys whose denials are over, in all processes. */
  readonly cleared: readonly ClearedKey[]
}

/** Reads the data of other processes. It never fails, and never takes longer than 250 ms. */
export class Others {
  readonly #share: DashboardShare | undefined
  readonly #process: string
  #reading: Promise<OthersData> | undefined
  #latest: OthersData | undefined
  #askedAt = -Infinity
  /** The last snapshots that were read: a process writes less often than a page asks. */
  #snapshots: Snapshots = new Map()
  /** The data of these snapshots. Undefined if a snapshot cannot be merged. */
  #data: ReadonlyMap<Snapshot, SharedData | undefined> = new Map()

  /** @param process the id of this process */
  constructor(share: DashboardShare | undefined, process: string) {
    this.#share = share
    this.#process = process
  }

  async read(): Promise<OthersData> {
    if (this.#share === undefined) return { state: 'none', ...noData }
    this.#askedAt = performance.now()
    if (this.#latest !== undefined) return this.#latest
    return this.#readInTime(this.#share)
  }

  /** Ends the reading in advance. */
  close(): void {
    this.#askedAt = -Infinity
  }

  async #readInTime(share: DashboardShare): Promise<OthersData> {
    // While Redis does not answer, requests wait for one call, so that the client does not collect calls.
    this.#reading ??= this.#read(share).finally(() => (this.#reading = undefined))
    try {
      return await bounded(this.#reading, waitMs, 'Redis')
    } catch (error) {
      this.#latest = undefined
      return { state: 'failed', error: reasonOf(error), ...noData }
    }
  }

  async #read(share: DashboardShare): Promise<OthersData> {
    const { snapshots, cleared } = await share.read(this.#snapshots)
    this.#snapshots = snapshots
    const others = Array.from(this.#snapshots).filter(([process]) => process !== this.#process)
    this.#data = new Map(
      others.map(([, snapshot]) => [
        snapshot,
        this.#data.has(snapshot) ? this.#data.get(snapshot) : readSnapshot(snapshot.text),
      ]),
    )
    const data = Array.from(this.#data.values()).filter((one) => one !== undefined)
    const notMerged = others.length - data.length
    const latest: OthersData = { state: 'ok', notMerged, data, cleared: readCleared(cleared) }
    this.#latest = latest
    setTimeout(() => this.#renew(share), freshMs).unref()
    return latest
  }

  #renew(share: DashboardShare): void {
    if (performance.now() - this.#askedAt < asksWithinMs) {
      void this.#readInTime(share)
      return
    }
    // Nothing is kept for a page that is closed.
    this.#latest = undefined
    this.#snapshots = new Map()
    this.#data = new Map()
  }
}

const noData = { notMerged: 0, data: [], cleared: [] } as const

/** The reason of an error, on one line. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.replace(/\s+/g, ' ').slice(0, 200)
}
