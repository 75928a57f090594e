import type { BreakerEvent, FallbackEvent, StoreErrorEvent } from '@sluice/core'
import type { StoreView } from '../view.js'
import type { Collector } from './collector.js'
import { Ring, sumOf } from './steps.js'

/** The most stores, and the most limiters that decide without one. */
const mostStores = 8
const mostFallbacks = 64

/** The most characters of an error's message that are kept. */
const longestMessage = 300

interface StoreRecord {
  readonly errors: Ring
  lastError: StoreView['lastError']
  /** Since when no calls are sent to it. */
  openAt: number | undefined
  /** The limiters that decide without it, and since when. */
  readonly fallbacks: Map<string, number>
}

/** The failures of the stores of a process. A store that has never failed is not in it. */
export class StoreRecords {
  readonly #records = new Map<string, StoreRecord>()
  readonly #collector: Collector
  /** An event of a fallback does not name the store: its error was published just before. */
  #lastFailed: string | undefined

  /** @param collector gives the time and its step */
  constructor(collector: Collector) {
    this.#collector = collector
  }

  readonly noteError = ({ store, error }: StoreErrorEvent): void => {
    const record = this.#recordOf(store)
    if (record === undefined) return
    const at = this.#collector.now()
    record.errors.add(this.#collector.step)
    record.lastError = { code: error.code, message: error.message.slice(0, longestMessage), at }
    this.#lastFailed = store
  }

  readonly noteBreaker = ({ store, state }: BreakerEvent): void => {
    const record = this.#recordOf(store)
    if (record !== undefined) record.openAt = state === 'open' ? this.#collector.now() : undefined
  }

  readonly noteFallback = ({ limiter, state }: FallbackEvent): void => {
    if (state === 'ended') {
      for (const { fallbacks } of this.#records.values()) fallbacks.delete(limiter)
      return
    }
    const { fallbacks } = this.#recordOf(this.#lastFailed ?? 'store') ?? {}
    if (fallbacks === undefined || fallbacks.size >= mostFallbacks) return
    fallbacks.set(limiter, this.#collector.now())
  }

  /** The stores that have failed. */
  views(): StoreView[] {
    this.#collector.now()
    return Array.from(this.#records, ([name, { errors, lastError, openAt, fallbacks }]) => {
      const since = openAt ?? (fallbacks.size === 0 ? null : Math.min(...fallbacks.values()))
      return {
        name,
        state: openAt === undefined ? (since === null ? 'ok' : 'fallback') : 'open',
        sinceAt: since,
        errors: sumOf(errors.series(this.#collector.step)),
        ...(lastError === undefined ? {} : { lastError }),
      }
    })
  }

  #recordOf(store: string): StoreRecord | undefined {
    let record = this.#records.get(store)
    if (record === undefined && this.#records.size < mostStores) {
      record = {
        errors: new Ring(),
        lastError: undefined,
        openAt: undefined,
        fallbacks: new Map(),
      }
      this.#records.set(store, record)
    }
    return record
  }
}

/** The stores of several processes: of each, the worst state. */
export function mergedStores(all: readonly (readonly StoreView[])[]): StoreView[] {
  const merged = new Map<string, StoreView>()
  for (const view of all.flat()) {
    const known = merged.get(view.name)
    merged.set(view.name, known === undefined ? view : together(known, view))
  }
  return [...merged.values()]
}

function together(a: StoreView, b: StoreView): StoreView {
  const worse = severity[a.state] >= severity[b.state] ? a : b
  const since = [a.sinceAt, b.sinceAt].filter((at) => at !== null)
  const last = (a.lastError?.at ?? 0) >= (b.lastError?.at ?? 0) ? a.lastError : b.lastError
  return {
    name: a.name,
    state: worse.state,
    sinceAt: since.length === 0 ? null : Math.min(...since),
    errors: a.errors + b.errors,
    ...(last === undefined ? {} : { lastError: last }),
  }
}

const severity = { ok: 0, fallback: 1, open: 2 }
