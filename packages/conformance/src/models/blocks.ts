import type { Block } from '@sluice/core'

/** All blocks of one key. The definition uses the last one only. */
export interface Blocks {
  /** The end of the last block; 0 if there was none. */
  readonly until: number
  /** An allowed request took the last unit. */
  reached(now: number): void
  /** A request was denied by the limit, whether its cost can ever fit or not. Returns whether it starts a block. */
  exceeded(now: number): boolean
}

export function createBlocks(block: Block | undefined): Blocks {
  const past: { readonly end: number; readonly length: number }[] = []

  function begin({ for: first, escalate, max }: Block, now: number): void {
    const last = past.at(-1)
    const startsOver = last === undefined || now - last.end >= last.length
    const length = startsOver ? first : Math.floor(last.length * escalate)
    past.push({ end: now + Math.min(max, length), length: Math.min(max, length) })
  }

  return {
    get until() {
      return past.at(-1)?.end ?? 0
    },
    reached(now) {
      if (block?.on === 'reached') begin(block, now)
    },
    exceeded(now) {
      if (block?.on !== 'exceeded' || now < this.until) return false
      begin(block, now)
      return true
    },
  }
}
