import type { Records } from '../../algorithms/algorithm.js'
import type { Change } from './database.js'
import {
  damageId,
  emptyId,
  overrideId,
  packStates,
  type KnownRow,
  type StoredState,
} from './state-bytes.js'

/** States are kept this long after they have expired, so that they still count if the clock steps back by less. */
const graceMs = 1000

/** An injected clock can stop, so a row that follows one is kept for a day longer. */
const injectedGraceMs = 86_400_000

/** After it was found that a row cannot be read, its key has no counts for this time, and no request is decided by it. */
const damagedMs = 60_000

/** The fields of a state that belongs to no policy. */
const ofNoPolicy = { name: 'default', row: [], records: undefined }

/** The time of a request, and whether it is that of an injected clock. */
export interface RequestTime {
  readonly now: number
  readonly isInjected: boolean
}

/** A state, with its unpacked records if a request has read them, and what packs them again if a request has changed them. */
export interface OpenState extends StoredState {
  readonly unpacked?: unknown
  readonly packer?: Records | undefined
}

/** A change of a row, with the states that it saves. */
export interface RowChange {
  readonly change: Change
  readonly states: readonly StoredState[]
}

/** The row of one key, as it was loaded, with the changes of the requests of this call. */
export class LoadedRow {
  readonly key: string
  readonly #version: unknown
  readonly #loadedAt: number
  #states: readonly OpenState[]
  /** The times of the last request that changed the row, and of the last one that needs it to be as it is. */
  #changed: RequestTime | undefined
  #expected: RequestTime | undefined

  /** @param loadedAt the time of the database by which requests without a clock of their own are decided */
  constructor(key: string, row: KnownRow | undefined, loadedAt: number) {
    this.key = key
    this.#version = row?.version
    this.#loadedAt = loadedAt
    this.#states = row?.states ?? []
    if (row !== undefined && row.states === undefined) this.damage()
  }

  /** The row with the changes so far, which no further change of this one reaches. */
  copy(): LoadedRow {
    const row = { version: this.#version, states: this.#states.map(packed), size: 0 }
    const copy = new LoadedRow(this.key, row, this.#loadedAt)
    copy.#changed = this.#changed
    return copy
  }

  get isChanged(): boolean {
    return this.#changed !== undefined
  }

  /** Whether the row cannot be read, or could not be read shortly before. To read it as absent would allow all requests as long as rows are damaged. */
  get isDamaged(): boolean {
    return this.#states.some(({ id, endsAt }) => id === damageId && endsAt > this.#loadedAt)
  }

  /** Replaces the row by the mark of a damaged one, which ends, so that a single one does not deny a key for ever. */
  damage(): void {
    this.#states = [{ ...ofNoPolicy, id: damageId, endsAt: this.#loadedAt + damagedMs }]
    this.#changed = { now: this.#loadedAt, isInjected: false }
  }

  /** Saves the row even if no request has changed it. So nothing is saved if another process has changed it. */
  expect(time: RequestTime): void {
    this.#expected = time
  }

  find(name: string, id: number, width?: number): OpenState | undefined {
    return this.#states.find((state) => {
      return (
        state.name === name && state.id === id && (width ?? state.row.length) === state.row.length
      )
    })
  }

  /** Has a state in place of another one, which means the same. */
  replace(old: OpenState | undefined, state: OpenState): void {
    this.#states = [...this.#states.filter((other) => other !== old), state]
  }

  /** Keeps a state until it ends. Removes it if it has already ended. */
  put(state: OpenState, time: RequestTime): void {
    const width = state.id === overrideId ? undefined : state.row.length
    const old = this.find(state.name, state.id, width)
    if (state.endsAt > time.now) {
      this.replace(old, { ...state, endsAt: Math.ceil(state.endsAt) })
      this.#changed = time
    } else this.remove((other) => other === old, time)
  }

  remove(isRemoved: (state: StoredState) => boolean, time: RequestTime): void {
    const left = this.#states.filter((state) => !isRemoved(state))
    if (left.length === this.#states.length) return
    this.#states = left
    this.#changed = time
  }

  /** The row to save. Undefined if no request has changed it, and none is expected to be as it is. */
  get change(): RowChange | undefined {
    const time = this.#changed ?? this.#expected
    if (time === undefined) return undefined
    const { now, isInjected } = time
    const [key, version] = [this.key, this.#version]
    const states = this.#states.filter(({ endsAt }) => endsAt + graceMs > now).map(packed)
    if (states.length === 0) {
      if (version !== undefined) {
        return { change: { key, version, bytes: undefined, endsAt: 0 }, states }
      }
      if (this.#expected === undefined) return undefined
      // Only a row that is saved shows that there is no other.
      states.push({ ...ofNoPolicy, id: emptyId, endsAt: now })
    }
    // The ends are times of the requests' clock, which can be an injected one.
    const endsAt = this.#loadedAt + lastEnd(states) - now + (isInjected ? injectedGraceMs : graceMs)
    return { change: { key, version, bytes: packStates(states), endsAt }, states }
  }
}

function packed({ unpacked, packer, ...state }: OpenState): StoredState {
  return packer === undefined ? state : { ...state, records: packer.pack(unpacked) }
}

/** The time from which the database may have deleted a row of a clock that was not injected. A row that cannot be read does not end. */
export function endOf({ states }: KnownRow): number {
  return states === undefined ? Infinity : lastEnd(states) + graceMs
}

function lastEnd(states: readonly StoredState[]): number {
  return states.reduce((last, { endsAt }) => Math.max(last, endsAt), 0)
}
