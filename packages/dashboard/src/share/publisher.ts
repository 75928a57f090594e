import { writeSnapshot } from '../data/snapshot.js'
import type { ProcessData } from '../data/process-data.js'
import type { KeyIds } from '../keys/key-ids.js'
import { bounded } from './bounded.js'
import { reasonOf } from './others.js'
import type { DashboardShare } from './share.js'

/** How long the end of a dashboard waits for Redis. */
const removeMs = 250

/** Writes the data of this process for the others. */
export class Publisher {
  readonly #share: DashboardShare
  readonly #process: string
  readonly #ids: KeyIds
  #isWriting = false
  #error: string | undefined

  constructor(share: DashboardShare, process: string, ids: KeyIds) {
    this.#share = share
    this.#process = process
    this.#ids = ids
  }

  /** Why the last data were not written. */
  get error(): string | undefined {
    return this.#error
  }

  /** Writes the data, unless the write before has no answer yet: the client must not collect calls while Redis is unavailable. */
  async write(data: () => ProcessData): Promise<void> {
    if (this.#isWriting) return
    this.#isWriting = true
    try {
      const snapshot = writeSnapshot(data())
      this.#ids.share(await this.#share.write(this.#process, snapshot, this.#ids.secret))
      this.#error = undefined
    } catch (error) {
      this.#error = reasonOf(error)
    } finally {
      this.#isWriting = false
    }
  }

  /** Removes the data of this process, so that it is not counted any longer. */
  async remove(): Promise<void> {
    try {
      await bounded(this.#share.remove(this.#process), removeMs, 'Redis')
    } catch {
      // The data end by themselves.
    }
  }
}
