/** How long it is remembered: until each process has written and read meanwhile. */
const keptMs = 20_000

/** The most keys that are remembered. */
const mostKept = 100

/** A key that is allowed although its last denial said otherwise. Its denials until that time are over. */
export interface ClearedKey {
  readonly limiter: string
  readonly key: string
  readonly at: number
  /** The policies that allow the key. Undefined if all of them do, because of an act. */
  readonly policies?: readonly string[]
}

/** Whether a last denial is over. It is not if another policy denies the key. */
export function isOver(
  { at, policies }: ClearedKey,
  lastDeniedAt: number,
  denying: readonly string[],
): boolean {
  return (
    lastDeniedAt <= at && (policies === undefined || denying.every((one) => policies.includes(one)))
  )
}

/** The keys whose denials were over early in the last seconds, for other processes that have denied them. */
export class ClearedKeys {
  #all: ClearedKey[] = []

  add(cleared: ClearedKey): void {
    this.#all = [...this.recent(cleared.at), cleared].slice(-mostKept)
  }

  recent(now: number): readonly ClearedKey[] {
    return this.#all.filter(({ at }) => Math.abs(now - at) < keptMs)
  }
}

/** Writes a key for other processes. */
export function clearedText({ limiter, key, at, policies }: ClearedKey): string {
  return JSON.stringify(policies ? [limiter, key, at, policies] : [limiter, key, at])
}
