import type { AlgorithmWithRecords } from '../../algorithms/algorithm.js'
import type { Change, StoredRow } from './database.js'
import { damageId, emptyId, isForm, packState, readState, type Part } from './state-bytes.js'

/** Parts are kept this long after they have expired, so that they still count if the clock steps back by less. */
const graceMs = 1000

/** An injected clock can stop, so a row that follows one is kept for a day longer. */
const injectedGraceMs = 86_400_000

/** After it was found that a row cannot be read, its key has no counts for this time, and no request is decided by it. */
const damagedMs = 60_000

/** The records of a part, read from its body. */
interface Records {
  readonly algorithm: AlgorithmWithRecords
  readonly body: unknown
}

/** A part, with its records if a request has read them. They differ from its body once `isPacked` is false. */
interface PagePart extends Part {
  records?: Records
  isPacked?: boolean
}

/** A row that was read. */
export interface KnownRow {
  readonly version: unknown
  /** Undefined if the row cannot be read. */
  readonly parts: readonly Part[] | undefined
  /** The number of its bytes. */
  readonly size: number
}

/** A change of a row, with the parts that it saves. */
export interface PageChange {
  readonly change: Change
  readonly parts: readonly Part[]
}

/** The name of a part that belongs to no policy. */
const unnamed = 'default'

/** Ends the decision of a group. */
export class DamagedRecords extends Error {}

/** The state of one key, as it was loaded, with the changes of the requests of this call. */
export class Page {
  readonly #key: string
  readonly #version: unknown
  readonly #loadedAt: number
  #parts: PagePart[]
  #isChanged = false
  #isExpected = false
  /** The time of the last change, by the clock of its request. */
  #changedAt = 0
  #isInjected = false

  /** @param loadedAt the time of the database by which requests without a clock of their own are decided */
  constructor(key: string, row: KnownRow | undefined, loadedAt: number) {
    this.#key = key
    this.#version = row?.version
    this.#loadedAt = loadedAt
    this.#parts = [...(row?.parts ?? [])]
    if (row !== undefined && row.parts === undefined) this.#replace()
  }

  /**
   * Whether the row cannot be read, or could not be read shortly before. To read it as absent would allow all requests as long as rows are damaged. The row that
   * replaces it ends, so that a single damaged row does not deny a key for ever.
   */
  get isDamaged(): boolean {
    const mark = this.partOf(unnamed, damageId, 0)
    return mark !== undefined && mark.ends > this.#loadedAt
  }

  /** Whether a request has changed the row. */
  get isChanged(): boolean {
    return this.#isChanged
  }

  /** Saves the row even if no request has changed it. So nothing is saved if another process has changed it. */
  expect(now: number, isInjected: boolean): void {
    this.#isExpected = true
    if (this.#isChanged) return
    this.#changedAt = now
    this.#isInjected = isInjected
  }

  /** The row that a policy's name has in this form. */
  partOf(name: string, id: number, width: number): Readonly<Part> | undefined {
    return this.#parts[this.#indexOf(name, id, width)]
  }

  /**
   * The records of a part. Undefined if there is no such part.
   *
   * @throws DamagedRecords if they cannot be read; the whole row then counts as damaged
   */
  recordsOf(name: string, algorithm: AlgorithmWithRecords, width: number): unknown {
    const at = this.#indexOf(name, algorithm.id, width)
    if (at === -1) return undefined
    const part = this.#parts[at]
    if (part.records !== undefined) return part.records.body
    const body = part.body && algorithm.unpackRecords(part.body, part.row)
    if (body === undefined) {
      this.#replace()
      throw new DamagedRecords()
    }
    this.#parts[at] = { ...part, records: { algorithm, body } }
    return body
  }

  /** Keeps a row until it ends. Removes it if it has already ended. */
  put(part: Omit<PagePart, 'body' | 'isPacked'>, now: number, isInjected: boolean): void {
    const { name, id, row, ends, records } = part
    const at = this.#indexOf(name, id, row.length)
    if (ends <= now && at === -1) return
    this.#note(now, isInjected)
    const body = records === undefined ? {} : { records, isPacked: false }
    const kept: PagePart = { name, id, row, ends: Math.ceil(ends), body: undefined, ...body }
    if (ends <= now) this.#parts.splice(at, 1)
    else if (at === -1) this.#parts.push(kept)
    else this.#parts[at] = kept
  }

  /** Removes parts of a policy's name. */
  remove(name: string, isRemoved: (part: Part) => boolean, now: number, isInjected: boolean): void {
    for (let at = this.#parts.length - 1; at >= 0; at--) {
      const part = this.#parts[at]
      if (part.name !== name || !isRemoved(part)) continue
      this.#parts.splice(at, 1)
      this.#note(now, isInjected)
    }
  }

  /** The end of the last of the rows that a policy's name has, in all forms. */
  lastEndOf(name: string): number {
    return lastEnd(this.#parts.filter((part) => part.name === name && isForm(part)))
  }

  /** The row to save. Undefined if no request has changed it, and none is expected to be as it is. */
  get change(): PageChange | undefined {
    if (!this.#isChanged && !this.#isExpected) return undefined
    const parts: Part[] = []
    for (const part of this.#parts) {
      if (part.ends + graceMs > this.#changedAt) parts.push(packed(part))
    }
    const [key, version] = [this.#key, this.#version]
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

  /** Replaces the state by the mark of a damaged row. */
  #replace(): void {
    this.#parts = []
    const mark = { name: unnamed, id: damageId, row: [], ends: this.#loadedAt + damagedMs }
    this.put(mark, this.#loadedAt, false)
  }

  #note(now: number, isInjected: boolean): void {
    this.#isChanged = true
    this.#changedAt = now
    this.#isInjected = isInjected
  }

  #indexOf(name: string, id: number, width: number): number {
    // A loop, because most pages have one part, and each decision looks for several.
    for (let at = 0; at < this.#parts.length; at++) {
      const part = this.#parts[at]
      if (part.name === name && part.id === id && part.row.length === width) return at
    }
    return -1
  }
}

/** Reads a row that was loaded. */
export function readRow(row: StoredRow | undefined): KnownRow | undefined {
  return row && { version: row.version, parts: readState(row.bytes), size: row.bytes.length }
}

/** The time from which the database may have deleted a row of a clock that was not injected. A row that cannot be read does not end. */
export function endOf({ parts }: KnownRow): number {
  return parts === undefined ? Infinity : lastEnd(parts) + graceMs
}

function lastEnd(parts: readonly Part[]): number {
  let last = 0
  for (const { ends } of parts) last = Math.max(last, ends)
  return last
}

function packed({ records, isPacked, ...part }: PagePart): Part {
  if (records === undefined || isPacked !== false) return part
  return { ...part, body: records.algorithm.packRecords(records.body) }
}
