import type { StoredRow } from './database.js'

/** The most bytes of all remembered rows. */
const mostBytes = 4_194_304

/** A row, and the time by which it was decided. No later decision may be made by an earlier time. */
export interface RememberedRow {
  readonly row: StoredRow
  readonly at: number
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

  get(key: string): RememberedRow | undefined {
    return this.#rows.get(key)
  }

  /** Keeps the current row of a key. Undefined: there is no row. */
  set(key: string, row: StoredRow | undefined, at: number): void {
    this.#remove(key)
    if (row === undefined || this.#most === 0) return
    this.#rows.set(key, { row, at })
    this.#bytes += row.bytes.length
    for (const oldest of this.#rows.keys()) {
      if (this.#rows.size <= this.#most && this.#bytes <= mostBytes) break
      this.#remove(oldest)
    }
  }

  #remove(key: string): void {
    const known = this.#rows.get(key)
    if (known === undefined) return
    this.#bytes -= known.row.bytes.length
    this.#rows.delete(key)
  }
}
