import type { Records, Row } from '../../algorithms/algorithm.js'
import type { Part, Rows } from '../run.js'
import type { LimiterPolicy, StoreRequest } from '../store.js'
import type { Change, StoredRow } from './database.js'
import {
  damageId,
  emptyId,
  isForm,
  overrideId,
  packState,
  readState,
  type Part as Kept,
} from './state-bytes.js'

/** Parts are kept this long after they have expired, so that they still count if the clock steps back by less. */
const graceMs = 1000

/** An injected clock can stop, so a row that follows one is kept for a day longer. */
const injectedGraceMs = 86_400_000

/** After it was found that a row cannot be read, its key has no counts for this time, and no request is decided by it. */
const damagedMs = 60_000

/** The name of a part that belongs to no policy. */
const unnamed = 'default'

/** A row that was read. */
export interface KnownRow {
  readonly version: unknown
  /** Undefined if the row cannot be read. */
  readonly parts: readonly Kept[] | undefined
  /** The number of its bytes. */
  readonly size: number
}

/** A change of a row, with the parts that it saves. */
export interface RowChange {
  readonly change: Change
  readonly parts: readonly Kept[]
}

/** A part, with its records if a request has read them, and their algorithm if a request has changed them. */
interface OpenPart extends Kept {
  readonly records?: unknown
  readonly changedBy?: Records
}

/** The row of one key, as it was loaded, with the changes of the requests of this call. */
export class LoadedRow {
  readonly key: string
  readonly #version: unknown
  readonly #loadedAt: number
  #parts: OpenPart[]
  isChanged = false
  #isExpected = false
  /** The time of the last change, by the clock of its request, and whether that was an injected one. */
  #changedAt = 0
  #isInjected = false

  /** @param loadedAt the time of the database by which requests without a clock of their own are decided */
  constructor(key: string, row: KnownRow | undefined, loadedAt: number) {
    this.key = key
    this.#version = row?.version
    this.#loadedAt = loadedAt
    this.#parts = [...(row?.parts ?? [])]
    if (row !== undefined && row.parts === undefined) this.damage()
  }

  /** The row with the changes so far, which no change of the original reaches. */
  copy(): LoadedRow {
    const row = { version: this.#version, parts: this.#parts.map(packed), size: 0 }
    const copy = new LoadedRow(this.key, row, this.#loadedAt)
    copy.isChanged = this.isChanged
    copy.#changedAt = this.#changedAt
    copy.#isInjected = this.#isInjected
    return copy
  }

  /** Whether the row cannot be read, or could not be read shortly before. To read it as absent would allow all requests as long as rows are damaged. */
  get isDamaged(): boolean {
    const mark = this.find(unnamed, damageId)
    return mark !== undefined && mark.ends > this.#loadedAt
  }

  /** Replaces the row by the mark of a damaged one, which ends, so that a single one does not deny a key for ever. */
  damage(): void {
    const mark = { name: unnamed, id: damageId, row: [], ends: this.#loadedAt + damagedMs }
    this.#parts = [{ ...mark, body: undefined }]
    this.#note(this.#loadedAt, false)
  }

  /** Saves the row even if no request has changed it. So nothing is saved if another process has changed it. */
  expect(now: number, isInjected: boolean): void {
    this.#isExpected = true
    if (!this.isChanged) [this.#changedAt, this.#isInjected] = [now, isInjected]
  }

  find(name: string, id: number, width?: number): OpenPart | undefined {
    return this.#parts.find((part) => {
      return part.name === name && part.id === id && (width ?? part.row.length) === part.row.length
    })
  }

  /** Puts a part in place of another one. */
  replace(old: OpenPart | undefined, part: OpenPart): void {
    const at = old === undefined ? -1 : this.#parts.indexOf(old)
    if (at === -1) this.#parts.push(part)
    else this.#parts[at] = part
  }

  /** Keeps a part until it ends. Removes it if it has already ended. */
  put(part: OpenPart, now: number, isInjected: boolean): void {
    const old = this.find(part.name, part.id, part.row.length)
    if (part.ends > now) {
      this.#note(now, isInjected)
      this.replace(old, { ...part, ends: Math.ceil(part.ends) })
    } else this.remove((each) => each === old, now, isInjected)
  }

  remove(isRemoved: (part: Kept) => boolean, now: number, isInjected: boolean): void {
    const left = this.#parts.filter((part) => !isRemoved(part))
    if (left.length === this.#parts.length) return
    this.#parts = left
    this.#note(now, isInjected)
  }

  #note(now: number, isInjected: boolean): void {
    this.isChanged = true
    this.#changedAt = now
    this.#isInjected = isInjected
  }

  /** The row to save. Undefined if no request has changed it, and none is expected to be as it is. */
  get change(): RowChange | undefined {
    if (!this.isChanged && !this.#isExpected) return undefined
    const [key, version] = [this.key, this.#version]
    const parts = this.#parts.filter(({ ends }) => ends + graceMs > this.#changedAt).map(packed)
    if (parts.length === 0) {
      if (version !== undefined) {
        return { change: { key, version, bytes: undefined, endsAt: 0 }, parts }
      }
      if (!this.#isExpected) return undefined
      // Only a row that is saved shows that there is no other.
      parts.push({ name: unnamed, id: emptyId, row: [], ends: this.#changedAt, body: undefined })
    }
    const grace = this.#isInjected ? injectedGraceMs : graceMs
    // The ends are times of the requests' clock, which can be an injected one.
    const endsAt = this.#loadedAt + lastEnd(parts) - this.#changedAt + grace
    return { change: { key, version, bytes: packState(parts), endsAt }, parts }
  }
}

function packed({ records, changedBy, ...part }: OpenPart): Kept {
  return changedBy === undefined ? part : { ...part, body: changedBy.pack(records) }
}

/** Reads a row that was loaded. */
export function readRow(row: StoredRow | undefined): KnownRow | undefined {
  if (row === undefined) return undefined
  const { version, bytes } = row
  const parts = readState(bytes)
  return { version, parts, size: parts === undefined ? 0 : bytes.length }
}

/** The time from which the database may have deleted a row of a clock that was not injected. A row that cannot be read does not end. */
export function endOf({ parts }: KnownRow): number {
  return parts === undefined ? Infinity : lastEnd(parts) + graceMs
}

function lastEnd(parts: readonly Kept[]): number {
  return parts.reduce((last, { ends }) => Math.max(last, ends), 0)
}

/** The rows of a request that were loaded. */
export class LoadedRows implements Rows {
  readonly #policies: readonly LimiterPolicy[]
  readonly #rows: readonly LoadedRow[]
  readonly #now: number
  readonly #isInjected: boolean

  /**
   * @param rows those of its keys
   * @param loadedAt the time of the database
   */
  constructor({ policies, now }: StoreRequest, rows: readonly LoadedRow[], loadedAt: number) {
    this.#policies = policies
    this.#rows = rows
    this.#now = now ?? loadedAt
    this.#isInjected = now !== undefined
  }

  timeOf(): number {
    return this.#now
  }

  get(index: number, _key: string, part: Part): Row | undefined {
    const { name, extras } = this.#policies[index]
    if (part === 'count') {
      const kept = this.#countOf(index)
      return kept && [...kept.row, ...Array.from({ length: extras }, () => 0)]
    }
    return this.#rows[index].find(name, overrideId)?.row
  }

  /** The first row of the request that cannot be read, also because of its records. */
  get damaged(): LoadedRow | undefined {
    for (const index of this.#policies.keys()) this.#unpack(index)
    return this.#rows.find(({ isDamaged }) => isDamaged)
  }

  #unpack(index: number): void {
    const kind = this.#policies[index].steps.records
    const kept = this.#countOf(index)
    if (kind === undefined || kept === undefined || kept.records !== undefined) return
    const records = kept.body && kind.unpack(kept.body, kept.row)
    if (records === undefined) this.#rows[index].damage()
    else this.#rows[index].replace(kept, { ...kept, records })
  }

  recordsOf(index: number): unknown {
    return this.#countOf(index)?.records
  }

  isKept(index: number): boolean {
    return (this.#countOf(index)?.ends ?? 0) > this.#now
  }

  put(
    index: number,
    _key: string,
    part: Part,
    row: Row,
    lifeMs: number,
    _isSpent: boolean,
    records: unknown,
  ): void {
    const { name, steps, width } = this.#policies[index]
    const kept = { name, ends: this.#now + lifeMs, body: undefined }
    const put = (own: OpenPart): void => this.#rows[index].put(own, this.#now, this.#isInjected)
    if (part === 'override') put({ ...kept, id: overrideId, row })
    else if (steps.records !== undefined) {
      const changedBy = steps.records
      put({ ...kept, id: steps.id, row: row.slice(0, width), records, changedBy })
    } else put({ ...kept, id: steps.id, row: row.slice(0, width) })
  }

  delete(index: number, _key: string, part: Part): void {
    const { name } = this.#policies[index]
    const isRemoved = part === 'override' ? isOverride : isForm
    this.#rows[index].remove(
      (kept) => kept.name === name && isRemoved(kept),
      this.#now,
      this.#isInjected,
    )
  }

  #countOf(index: number): OpenPart | undefined {
    const { name, steps, width } = this.#policies[index]
    return this.#rows[index].find(name, steps.id, width)
  }
}

function isOverride({ id }: Kept): boolean {
  return id === overrideId
}
