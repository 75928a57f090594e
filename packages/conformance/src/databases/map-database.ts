import type { Change, Database, Loaded, Saved, Span, StoredRow } from '@sluice/core/database'

/** A row of a map. */
export interface MapRow extends StoredRow {
  readonly endsAt: number
}

export interface MapSettings {
  /**
   * The rows, which several databases can share.
   *
   * @default a new map
   */
  readonly rows?: Map<string, MapRow>
  /**
   * The time of the database.
   *
   * @default Date.now
   */
  readonly clock?: () => number
  /**
   * Called before the rows are read or changed. A database that is slow waits here, and one that is unavailable throws.
   *
   * @default nothing
   */
  readonly before?: (call: 'load' | 'save') => Promise<void>
  /**
   * Whether a reply to `save` has the rows of the groups that were not saved.
   *
   * @default true
   */
  readonly returnsRows?: boolean
}

/** A database in a map of this process: the shortest one that keeps the contract. */
export class MapDatabase implements Database {
  readonly name = 'map'
  readonly rows: Map<string, MapRow>
  /** The number of calls so far. */
  readonly calls = { load: 0, save: 0, clean: 0 }
  readonly #clock: () => number
  readonly #before: MapSettings['before']
  readonly #returnsRows: boolean

  constructor({
    rows = new Map(),
    clock = Date.now,
    before,
    returnsRows = true,
  }: MapSettings = {}) {
    this.rows = rows
    this.#clock = clock
    this.#before = before
    this.#returnsRows = returnsRows
  }

  async load(keys: readonly string[]): Promise<Loaded> {
    this.calls.load++
    await this.#before?.('load')
    return { now: this.#clock(), rows: keys.map((key) => this.rows.get(key)) }
  }

  async save(groups: readonly (readonly Change[])[], { from, until }: Span): Promise<Saved> {
    this.calls.save++
    await this.#before?.('save')
    const now = this.#clock()
    const isInSpan = from <= now && now <= until
    const rows = new Map<string, StoredRow | undefined>()
    const saved = groups.map((changes) => {
      if (
        isInSpan &&
        changes.every(({ key, version }) => this.rows.get(key)?.version === version)
      ) {
        return changes.map((change) => this.#write(change))
      }
      for (const { key } of changes) rows.set(key, this.rows.get(key))
      return undefined
    })
    return this.#returnsRows ? { now, groups: saved, rows } : { now, groups: saved }
  }

  async clean(): Promise<void> {
    this.calls.clean++
    const now = this.#clock()
    for (const [key, { endsAt }] of this.rows) if (endsAt <= now) this.rows.delete(key)
  }

  #write({ key, bytes, endsAt }: Change): number {
    const version = nextVersion++
    if (bytes === undefined) this.rows.delete(key)
    else this.rows.set(key, { version, bytes: bytes.slice(), endsAt })
    return version
  }
}

/** One counter for all rows, so that no version returns. */
let nextVersion = 1
