import { endOf } from './loaded-row.js'
import type { KnownRow } from './state-bytes.js'

/** The most bytes of all remembered rows. */
const mostBytes = 4_194_304

interface RememberedRow {
  readonly row: KnownRow
  /** The time by which it was decided. */
  readonly at: number
  /** The time from which the database may have deleted it. Undefined: that of its states, because the row was loaded. */
  readonly endsAt: number | undefined
}

/** The rows that this process has saved or was shown last. With them it can decide and save without loading first. */
export class RememberedRows {
  // In the order of their use.
  readonly #rows = new Map<string, RememberedRow>()
  readonly #most: number
  #bytes = 0

  constructor(most: number) {
    this.#most = most
  }

  /** Whether this process remembers any rows. */
  get isUsed(): boolean {
    return this.#most > 0
  }

  /** The time by which the row of a key was decided. No later decision may be made by an earlier time. */
  decidedAt(key: string): number {
    return this.#rows.get(key)?.at ?? 0
  }

  /** The row of a key. Undefined if there is none, also because it has ended: by the version of a row that was deleted, nothing can be saved. */
  get(key: string, now: number): KnownRow | undefined {
    const known = this.#rows.get(key)
    if (known === undefined) return undefined
    const { row, endsAt = endOf(row) } = known
    return endsAt > now ? row : undefined
  }

  /** Keeps the current row of a key. Undefined: there is no row. */
  set(key: string, row: KnownRow | undefined, at: number, endsAt?: number): void {
    this.#remove(key)
    if (row === undefined || this.#most === 0) return
    this.#rows.set(key, { row, at, endsAt })
    this.#bytes += row.size
    for (const oldest of this.#rows.keys()) {
      if (this.#rows.size <= this.#most && this.#bytes <= mostBytes) break
      this.#remove(oldest)
    }
  }

  #remove(key: string): void {
    const known = this.#rows.get(key)
    if (known === undefined) return
    this.#bytes -= known.row.size
    this.#rows.delete(key)
  }
}
