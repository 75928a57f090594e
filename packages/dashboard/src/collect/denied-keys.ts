import { isOver, type ClearedKey } from './cleared-keys.js'
import { textBytes } from './text-bytes.js'
import type { DeniedKey } from '../view.js'

/** The most keys, and the most bytes of their texts. */
const mostKeys = 10_000
const mostTextBytes = 900_000

/** A run of denials ends if its key was not denied for this time after it was allowed again. */
export const pauseMs = 10_000

/** The last denial of a key. */
export interface Denial {
  /** When the key is allowed again; Infinity if never. */
  readonly until: number
  readonly policies: readonly string[]
  readonly source: DeniedKey['source']
  readonly isBlocked: boolean
}

/** A key that is denied, and its denials without a pause. */
export interface DeniedRun extends Denial {
  readonly key: string
  readonly denials: number
  readonly firstAt: number
  readonly lastAt: number
}

/** Whether a key is listed as denied. A client that never waits is denied for a few milliseconds many times a second: without the pause, it would be in every other list only. */
export function isListed({ until, lastAt }: DeniedRun, at: number): boolean {
  return until > at || lastAt > at - pauseMs
}

/** The denied keys of one limiter: their places. */
export type DeniedPlaces = Map<string, number>

/**
 * The keys that are denied, of all limiters of a process. If there are too many, those are dropped that are allowed again soonest. It keeps the numbers in
 * arrays, because ten thousand objects would need twice the memory.
 */
export class DeniedKeys {
  readonly #keys: string[] = []
  readonly #owners: DeniedPlaces[] = []
  readonly #policies: (readonly string[])[] = []
  readonly #sources: Denial['source'][] = []
  #blocked = new Uint8Array(0)
  #until = new Float64Array(0)
  #denials = new Uint32Array(0)
  #first = new Float64Array(0)
  #last = new Float64Array(0)
  /** A min-heap of places by `due`. A later end does not move a place: it is moved when it comes to the top. */
  #heap = new Int32Array(0)
  #positions = new Int32Array(0)
  #due = new Float64Array(0)
  #size = 0
  readonly #free: number[] = []
  #textBytes = 0

  get size(): number {
    return this.#size
  }

  /** Notes a denial at a time. */
  add(owner: DeniedPlaces, key: string, denial: Denial, now: number): void {
    let place = owner.get(key)
    if (place !== undefined && this.#endOf(place) <= now) {
      this.#remove(place)
      place = undefined
    }
    place ??= this.#insert(owner, key, now)
    const end = Math.max(denial.until, now) + pauseMs
    this.#until[place] = denial.until
    this.#denials[place]++
    this.#last[place] = now
    this.#policies[place] = denial.policies
    this.#sources[place] = denial.source
    this.#blocked[place] = denial.isBlocked ? 1 : 0
    if (end < this.#due[place]) this.#move(place, end)
  }

  /**
   * Removes a key that is allowed although its last denial said that it would not be: its units were refunded, or its block was ended. A key stays if one of the
   * policies that deny it was not asked. Returns how much longer it would have been denied.
   *
   * @param keys of the decision, by the names of its policies
   */
  noteAllowed(
    owner: DeniedPlaces,
    key: string,
    keys: Readonly<Record<string, string>>,
    now: number,
  ): number {
    const place = owner.get(key)
    if (place === undefined || this.#until[place] <= now) return 0
    for (const name of this.#policies[place]) if (keys[name] !== key) return 0
    const left = this.#until[place] - now
    this.#remove(place)
    return left
  }

  /** Removes a key whose last denial is over. */
  clear(owner: DeniedPlaces, cleared: ClearedKey): void {
    const place = owner.get(cleared.key)
    if (place === undefined) return
    if (isOver(cleared, this.#last[place], this.#policies[place])) this.#remove(place)
  }

  /** Removes the keys whose run has ended. */
  sweep(now: number): void {
    while (this.#size > 0) {
      const place = this.#soonest()
      if (this.#due[place] > now) return
      this.#remove(place)
    }
  }

  /** The denied keys of a limiter. */
  runsOf(owner: DeniedPlaces, now: number): DeniedRun[] {
    const runs: DeniedRun[] = []
    for (const place of owner.values()) {
      if (this.#endOf(place) > now) runs.push(this.#runAt(place))
    }
    return runs
  }

  #runAt(place: number): DeniedRun {
    return {
      key: this.#keys[place],
      until: this.#until[place],
      policies: this.#policies[place],
      source: this.#sources[place],
      isBlocked: this.#blocked[place] === 1,
      denials: this.#denials[place],
      firstAt: this.#first[place],
      lastAt: this.#last[place],
    }
  }

  #endOf(place: number): number {
    return Math.max(this.#until[place], this.#last[place]) + pauseMs
  }

  #insert(owner: DeniedPlaces, key: string, now: number): number {
    const bytes = textBytes(key)
    while (this.#size >= mostKeys || (this.#size > 0 && this.#textBytes + bytes > mostTextBytes)) {
      this.#remove(this.#soonest())
    }
    const place = this.#free.pop() ?? this.#size
    if (place >= this.#until.length) this.#grow()
    // A copy, because V8 keeps the whole of a string in memory, such as a header, as long as a part of it is in use.
    const own = ` ${key}`.slice(1)
    owner.set(own, place)
    this.#textBytes += bytes
    this.#keys[place] = own
    this.#owners[place] = owner
    this.#denials[place] = 0
    this.#first[place] = now
    this.#due[place] = Infinity
    this.#positions[place] = this.#size
    this.#heap[this.#size++] = place
    return place
  }

  #remove(place: number): void {
    const key = this.#keys[place]
    this.#owners[place].delete(key)
    this.#textBytes -= textBytes(key)
    this.#keys[place] = ''
    const last = this.#heap[--this.#size]
    if (last !== place) {
      const position = this.#positions[place]
      this.#put(position, last)
      this.#move(last, this.#due[last])
    }
    this.#free.push(place)
  }

  /** The place that ends soonest. */
  #soonest(): number {
    for (;;) {
      const place = this.#heap[0]
      const end = this.#endOf(place)
      if (end <= this.#due[place]) return place
      this.#move(place, end)
    }
  }

  #move(place: number, due: number): void {
    this.#due[place] = due
    let at = this.#positions[place]
    for (let parent = (at - 1) >> 1; at > 0; parent = (at - 1) >> 1) {
      if (this.#due[this.#heap[parent]] <= due) break
      this.#put(at, this.#heap[parent])
      at = parent
    }
    for (;;) {
      let child = 2 * at + 1
      if (child + 1 < this.#size && this.#dueAt(child + 1) < this.#dueAt(child)) child++
      if (child >= this.#size || this.#dueAt(child) >= due) break
      this.#put(at, this.#heap[child])
      at = child
    }
    this.#put(at, place)
  }

  #dueAt(position: number): number {
    return this.#due[this.#heap[position]]
  }

  #put(position: number, place: number): void {
    this.#heap[position] = place
    this.#positions[place] = position
  }

  #grow(): void {
    const size = Math.min(mostKeys, Math.max(64, 2 * this.#until.length))
    this.#until = grown(this.#until, new Float64Array(size))
    this.#first = grown(this.#first, new Float64Array(size))
    this.#last = grown(this.#last, new Float64Array(size))
    this.#due = grown(this.#due, new Float64Array(size))
    this.#denials = grown(this.#denials, new Uint32Array(size))
    this.#heap = grown(this.#heap, new Int32Array(size))
    this.#positions = grown(this.#positions, new Int32Array(size))
    this.#blocked = grown(this.#blocked, new Uint8Array(size))
  }
}

function grown<A extends Float64Array | Uint32Array | Int32Array | Uint8Array>(old: A, to: A): A {
  to.set(old)
  return to
}
