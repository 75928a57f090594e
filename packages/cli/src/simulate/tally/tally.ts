import { HotKeys, type HotKey } from '@sluice/dashboard/internal'
import type { LogRecord } from '../log/record.js'
import { copyOf } from '../log/values.js'
import { DeniedKey } from './denied-key.js'
import { KeySet } from './key-set.js'
import { Timeline } from './timeline.js'

/** The number of denied keys with exact counts. Of further keys only the most frequent are counted. */
const maxDeniedKeys = 100_000

/** Counts the decisions of one variant. */
export class Tally {
  asked = 0
  denied = 0
  readonly timeline: Timeline
  /** The requests and the denials over time. */
  readonly askedSeries: Float64Array
  readonly deniedSeries: Float64Array
  readonly worst: Worst = new Worst()
  streak: { readonly key: string; readonly length: number } = { key: '', length: 0 }
  readonly #byNumber = new Map<number, Followed>()
  readonly #others = new HotKeys()
  readonly #ofOthers = new WeakMap<HotKey, Followed>()
  readonly #keysDenied = new KeySet()

  /** @param timeline the intervals of the series, which all tallies of a report share */
  constructor(timeline: Timeline = new Timeline()) {
    this.timeline = timeline
    this.askedSeries = timeline.series()
    this.deniedSeries = timeline.series()
  }

  get keysDenied(): number {
    return this.#keysDenied.size
  }

  ask(at: number): void {
    this.asked++
    this.askedSeries[this.timeline.at(at)]++
    this.worst.ask(at)
  }

  /**
   * Counts the denial of the last request.
   *
   * @param number the number of the key
   * @param ordinal the number of this request among those of its key
   */
  deny(record: LogRecord, key: string, number: number, ordinal: number): void {
    this.denied++
    this.#keysDenied.add(number)
    this.deniedSeries[this.timeline.at(record.at)]++
    this.worst.deny()
    const followed = this.#follow(record, key, number)
    followed.details.deny(record, ordinal)
    const { longestRun } = followed.details
    if (longestRun > this.streak.length) this.streak = { key: followed.key, length: longestRun }
  }

  /** The denied keys, those with the most denials first. */
  keys(): readonly CountedKey[] {
    const exact = [...this.#byNumber.values()].map((followed) =>
      counted(followed, followed.details.denied, 0),
    )
    const others = this.#others.keys.flatMap((hot) => {
      const followed = this.#ofOthers.get(hot)
      return followed === undefined ? [] : counted(followed, hot.count, hot.error)
    })
    return [...exact, ...others].sort((a, b) => b.denied - a.denied || (a.key < b.key ? -1 : 1))
  }

  #follow(record: LogRecord, key: string, number: number): Followed {
    const known = this.#byNumber.get(number)
    if (known !== undefined) return known
    const isExact = number !== -1 && this.#byNumber.size < maxDeniedKeys
    const hot = isExact ? undefined : this.#others.add(copyOf(key))
    const other = hot && this.#ofOthers.get(hot)
    if (other !== undefined) return other
    const followed: Followed = { key: copyOf(key), number, details: new DeniedKey(record) }
    if (hot === undefined) this.#byNumber.set(number, followed)
    else this.#ofOthers.set(hot, followed)
    return followed
  }
}

function counted({ key, number, details }: Followed, denied: number, error: number): CountedKey {
  return { key, number, details, denied, error }
}

interface Followed {
  readonly key: string
  readonly number: number
  readonly details: DeniedKey
}

/** A denied key. `denied` is an upper bound of its denials, and `denied - error` the lower bound. */
export interface CountedKey extends Followed {
  readonly denied: number
  readonly error: number
}

const stretchMs = 5 * 60_000

/** Finds the five minutes of the clock with the largest share of denials. */
class Worst {
  from = 0
  share = 0
  #start = -Infinity
  #asked = 0
  #denied = 0

  ask(at: number): void {
    if (at >= this.#start + stretchMs) {
      this.close()
      this.#start = Math.floor(at / stretchMs) * stretchMs
      this.#asked = 0
      this.#denied = 0
    }
    this.#asked++
  }

  deny(): void {
    this.#denied++
  }

  /** Ends the current five minutes. */
  close(): void {
    const share = this.#asked === 0 ? 0 : this.#denied / this.#asked
    if (share <= this.share) return
    this.share = share
    this.from = this.#start
  }
}
