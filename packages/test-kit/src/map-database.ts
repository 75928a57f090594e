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
   * Called after the rows were read or changed. A reply that is late waits here, and one that is lost throws.
   *
   * @default nothing
   */
  readonly after?: (call: 'load' | 'save') => Promise<void>
  /**
   * Whether a reply to `save` has the rows of the groups that were not saved.
   *
   * @default true
   */
  readonly returnsRows?: boolean
  /**
   * Whether the database reports a conflict for a group whose rows have not changed, such as a deadlock.
   *
   * @default never
   */
  readonly conflicts?: (group: readonly Change[]) => boolean
  /**
   * Whether a save has waited for a lock until after its span.
   *
   * @default never
   */
  readonly isLate?: () => boolean
}

/** A database in a map of this process: the shortest one that keeps the contract. */
export class MapDatabase implements Database {
  readonly name = 'map'
  readonly rows: Map<string, MapRow>
  /** The number of calls so far. */
  readonly calls = { load: 0, save: 0, clean: 0 }
  readonly #clock: () => number
  readonly #settings: MapSettings

  constructor(settings: MapSettings = {}) {
    this.rows = settings.rows ?? new Map()
    this.#clock = settings.clock ?? Date.now
    this.#settings = settings
  }

  async load(keys: readonly string[]): Promise<Loaded> {
    this.calls.load++
    await this.#settings.before?.('load')
    const loaded = { now: this.#clock(), rows: keys.map((key) => this.rows.get(key)) }
    await this.#settings.after?.('load')
    return loaded
  }

  async save(groups: readonly (readonly Change[])[], { from, until }: Span): Promise<Saved> {
    this.calls.save++
    await this.#settings.before?.('save')
    const now = this.#clock()
    const { returnsRows = true, conflicts, isLate } = this.#settings
    const isInSpan = from <= now && now <= until && isLate?.() !== true
    const rows = new Map<string, StoredRow | undefined>()
    const saved = groups.map((changes) => {
      const isCurrent = changes.every((change) => this.#isCurrent(change, now))
      if (isInSpan && isCurrent && conflicts?.(changes) !== true) {
        return changes.map((change) => this.#write(change))
      }
      for (const { key } of changes) rows.set(key, this.rows.get(key))
      return undefined
    })
    await this.#settings.after?.('save')
    return returnsRows ? { now, groups: saved, rows } : { now, groups: saved }
  }

  async clean(): Promise<void> {
    this.calls.clean++
    const now = this.#clock()
    for (const [key, { endsAt }] of this.rows) if (endsAt <= now) this.rows.delete(key)
  }

  #isCurrent({ key, version }: Change, now: number): boolean {
    const row = this.rows.get(key)
    return row?.version === version || (version === undefined && (row?.endsAt ?? 0) <= now)
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
