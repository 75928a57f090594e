import type { DeniedKey } from '../view.js'
import { isOver, type ClearedKey } from './cleared-keys.js'
import { ownText } from './own-text.js'

/** The most keys, of all limiters together. */
export const mostDenied = 10_000

/** The keys that are dropped together if there are too many: to find those that are allowed again soonest, all of them are sorted. */
const dropped = 1000

/** A run of denials ends if its key was not denied for this time after it was allowed again. */
export const pauseMs = 10_000

/** The last denial of a key. */
export type Denial = Pick<DeniedKey, 'untilAt' | 'policies' | 'source' | 'isBlocked'>

/** Whether a key is listed as denied. A client that never waits is denied for a few milliseconds many times a second: without the pause, it would be in every other list only. */
export function isListed({ untilAt, lastDeniedAt }: DeniedKey, at: number): boolean {
  return untilAt === null || untilAt > at || lastDeniedAt > at - pauseMs
}

/** When a run ends. */
function endOf({ untilAt, lastDeniedAt }: DeniedKey): number {
  return Math.max(untilAt ?? Infinity, lastDeniedAt) + pauseMs
}

/** The keys that are denied, by their limiters. If there are too many, those are dropped that are allowed again soonest. */
export class DeniedKeys {
  readonly #limiters = new Map<string, Map<string, DeniedKey>>()

  get size(): number {
    let size = 0
    for (const runs of this.#limiters.values()) size += runs.size
    return size
  }

  /** Notes a denial at a time. */
  add(limiter: string, key: string, denial: Denial, now: number): void {
    const runs = this.#limiters.get(limiter) ?? new Map<string, DeniedKey>()
    this.#limiters.set(limiter, runs)
    const known = runs.get(key)
    const run = known !== undefined && endOf(known) > now ? known : undefined
    if (known === undefined && this.size >= mostDenied) this.#drop()
    runs.set(run?.key ?? ownText(key), {
      ...denial,
      key: run?.key ?? ownText(key),
      denials: (run?.denials ?? 0) + 1,
      firstDeniedAt: run?.firstDeniedAt ?? now,
      lastDeniedAt: now,
    })
  }

  /**
   * Removes a key that is allowed although its last denial said that it would not be: its units were refunded, or its block was ended. A key stays if one of the
   * policies that deny it was not asked. Returns how much longer it would have been denied.
   *
   * @param keys of the decision, by the names of its policies
   */
  noteAllowed(
    limiter: string,
    key: string,
    keys: Readonly<Record<string, string>>,
    now: number,
  ): number {
    const run = this.#limiters.get(limiter)?.get(key)
    if (run === undefined || run.policies.some((name) => keys[name] !== key)) return 0
    const left = (run.untilAt ?? Infinity) - now
    if (left <= 0) return 0
    this.#limiters.get(limiter)?.delete(key)
    return left
  }

  /** Removes a key whose last denial is over. */
  clear(cleared: ClearedKey): void {
    const runs = this.#limiters.get(cleared.limiter)
    const run = runs?.get(cleared.key)
    if (run !== undefined && isOver(cleared, run.lastDeniedAt, run.policies))
      runs?.delete(cleared.key)
  }

  /** Removes the keys whose run has ended. */
  sweep(now: number): void {
    for (const runs of this.#limiters.values()) {
      for (const run of runs.values()) if (endOf(run) <= now) runs.delete(run.key)
    }
  }

  /** The denied keys of a limiter. */
  runsOf(limiter: string, now: number): readonly DeniedKey[] {
    const runs = this.#limiters.get(limiter)?.values() ?? []
    return [...runs].filter((run) => endOf(run) > now)
  }

  #drop(): void {
    const all = [...this.#limiters.values()].flatMap((runs) =>
      Array.from(runs.values(), (run) => ({ runs, run })),
    )
    all.sort((a, b) => endOf(a.run) - endOf(b.run) || a.run.lastDeniedAt - b.run.lastDeniedAt)
    for (const { runs, run } of all.slice(0, dropped)) runs.delete(run.key)
  }
}
