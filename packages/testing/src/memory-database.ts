import type { Change, Database, Loaded, Saved, Span, StoredRow } from '@sluice/core/database'

/** The rows of a store in this process. */
export class MemoryDatabase implements Database {
  readonly name = 'test'
  readonly #rows = new Map<string, StoredRow & { readonly endsAt: number }>()
  #lastVersion = 0
  /** Runs before each call. A rejection is the failure of the call. */
  before: () => Promise<void> = async () => {}

  async load(keys: readonly string[]): Promise<Loaded> {
    await this.before()
    return { now: Date.now(), rows: keys.map((key) => this.#rows.get(key)) }
  }

  async save(groups: readonly (readonly Change[])[], { from, until }: Span): Promise<Saved> {
    await this.before()
    const now = Date.now()
    const isInSpan = from <= now && now <= until
    const saved = groups.map((changes) => {
      const isCurrent = changes.every(({ key, version }) => {
        const row = this.#rows.get(key)
        return row?.version === version || (version === undefined && (row?.endsAt ?? 0) <= now)
      })
      return isInSpan && isCurrent ? changes.map((change) => this.#write(change)) : undefined
    })
    return { now, groups: saved }
  }

  #write({ key, bytes, endsAt }: Change): number {
    const version = ++this.#lastVersion
    if (bytes === undefined) this.#rows.delete(key)
    else this.#rows.set(key, { version, bytes, endsAt })
    return version
  }
}
