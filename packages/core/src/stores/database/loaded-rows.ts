import type { Row } from '../../algorithms/algorithm.js'
import type { Part, Rows } from '../rows.js'
import type { LimiterPolicy, StoreRequest } from '../store.js'
import type { LoadedRow, OpenState, RequestTime } from './loaded-row.js'
import { isCount, overrideId, type StoredState } from './state-bytes.js'

/** The loaded rows of the keys of one request. */
export class LoadedRows implements Rows {
  readonly #policies: readonly LimiterPolicy[]
  readonly #rows: readonly LoadedRow[]
  readonly #time: RequestTime

  /** @param loadedAt the time of the database */
  constructor({ policies, now }: StoreRequest, rows: readonly LoadedRow[], loadedAt: number) {
    this.#policies = policies
    this.#rows = rows
    this.#time = { now: now ?? loadedAt, isInjected: now !== undefined }
  }

  /** The first row that cannot be read, also because of its records. */
  get damaged(): LoadedRow | undefined {
    for (const index of this.#policies.keys()) this.#unpack(index)
    return this.#rows.find(({ isDamaged }) => isDamaged)
  }

  #unpack(index: number): void {
    const kind = this.#policies[index].steps.records
    const state = this.#countOf(index)
    if (kind === undefined || state === undefined || state.unpacked !== undefined) return
    const unpacked = state.records && kind.unpack(state.records, state.row)
    if (unpacked === undefined) this.#rows[index].damage()
    else this.#rows[index].replace(state, { ...state, unpacked })
  }

  /**
   * A request can be allowed by rows that it does not change: by a cost of 0, by an exemption, or because it has nothing to refund. If only the others were saved,
   * two processes could each change what the other one was allowed by.
   */
  expectTogether(): void {
    const rows = new Set(this.#rows)
    if (rows.size === 1 || !this.#rows.some(({ isChanged }) => isChanged)) return
    for (const row of rows) row.expect(this.#time)
  }

  timeOf(): number {
    return this.#time.now
  }

  get(index: number, _key: string, part: Part): Row | undefined {
    const { name, extras } = this.#policies[index]
    if (part === 'override') return this.#rows[index].find(name, overrideId)?.row
    const state = this.#countOf(index)
    return state && [...state.row, ...Array.from({ length: extras }, () => 0)]
  }

  recordsOf(index: number): unknown {
    return this.#countOf(index)?.unpacked
  }

  isKept(index: number): boolean {
    return (this.#countOf(index)?.endsAt ?? 0) > this.#time.now
  }

  put(
    index: number,
    _key: string,
    part: Part,
    row: Row,
    lifeMs: number,
    _isSpent: boolean,
    unpacked: unknown,
  ): void {
    const { name, steps, width } = this.#policies[index]
    const kept = { name, endsAt: this.#time.now + lifeMs, records: undefined }
    const state =
      part === 'override'
        ? { ...kept, id: overrideId, row: withoutLastZeros(row) }
        : { ...kept, id: steps.id, row: row.slice(0, width), unpacked, packer: steps.records }
    this.#rows[index].put(state, this.#time)
  }

  delete(index: number, _key: string, part: Part): void {
    const { name } = this.#policies[index]
    const isRemoved = (state: StoredState): boolean =>
      state.name === name && (part === 'override' ? state.id === overrideId : isCount(state))
    this.#rows[index].remove(isRemoved, this.#time)
  }

  #countOf(index: number): OpenState | undefined {
    const { name, steps, width } = this.#policies[index]
    return this.#rows[index].find(name, steps.id, width)
  }
}

/** The cells of an override up to the last one that says something. */
function withoutLastZeros(row: Row): Row {
  return row.slice(0, row.findLastIndex((cell) => cell > 0) + 1)
}
