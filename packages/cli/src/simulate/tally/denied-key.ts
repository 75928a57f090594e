import { HotKeys } from '@sluice/dashboard/internal'
import type { LogRecord } from '../log/record.js'
import { copyOf } from '../log/values.js'
import { Timeline } from './timeline.js'

/** The denials of one key. */
export class DeniedKey {
  denied = 0
  readonly first: number
  last = 0
  /** The user agent of the first denied request. */
  readonly agent: string | undefined
  /** The length of the current run of consecutive denials, and of the longest run. */
  run = 0
  longestRun = 0
  /** The denials over time. */
  readonly timeline: Timeline = new Timeline(60, 60_000)
  readonly series: Float64Array = this.timeline.series()
  #lastOrdinal = -1
  /** The most frequent paths of the denied requests. */
  readonly #paths = new HotKeys(4)

  constructor(record: LogRecord) {
    this.first = record.at
    const agent = record.header('user-agent')
    this.agent = agent === undefined ? undefined : copyOf(agent.slice(0, 300))
  }

  /** @param ordinal the number of this request among those of its key, by which consecutive denials are recognized */
  deny(record: LogRecord, ordinal: number): void {
    this.denied++
    this.last = record.at
    this.run = ordinal === this.#lastOrdinal + 1 ? this.run + 1 : 1
    this.#lastOrdinal = ordinal
    if (this.run > this.longestRun) this.longestRun = this.run
    this.series[this.timeline.at(record.at)]++
    this.#paths.add(pathOf(record.url))
  }

  /** The path of most denied requests, and a lower bound of its count. */
  mostlyAt(): { readonly path: string; readonly count: number } {
    const [{ key, count, error }] = this.#paths.keys
    return { path: key, count: count - error }
  }
}

/** Removes the query, which often differs in each request and can contain personal data. */
function pathOf(url: string): string {
  const end = url.indexOf('?')
  return copyOf((end === -1 ? url : url.slice(0, end)).slice(0, 200))
}
