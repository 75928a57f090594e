import type { Row } from '../algorithms/algorithm.js'

// An override is kept beside the count of a policy's key, for all layouts under the policy's name. A store keeps it as a row of `overrideWidth` whole numbers,
// each 0 or more, and knows none of them: only `run`, its twin in Lua, and this file do.
// row: [the end of the last block, the length by which the limit started it (0: a call started it), the end of the exemption]
// The block or the exemption that was set last replaces the other one.
const BLOCKED_UNTIL = 0
const BLOCK_MS = 1
const EXEMPT_UNTIL = 2

export const overrideWidth = 3

/** The override of a key at a time. */
export interface OverrideAt {
  /** A block or an exemption, which can have ended; undefined without one. */
  readonly override: Row | undefined
  readonly now: number
}

/** The override of a row of cells; undefined if it is all zeros, as that of a key without one. */
export function overrideOf(cells: Row): Row | undefined {
  return cells.some((cell) => cell > 0) ? cells : undefined
}

/** All cells of an override. A store may have left out zeros at its end. */
export function cellsOf(override: Row): Row {
  return Array.from({ length: overrideWidth }, (_, i) => override[i] ?? 0)
}

export function blockUntil(_override: Row | undefined, until: number, lengthMs: number): Row {
  return [until, lengthMs, 0]
}

export function exemptUntil(_override: Row | undefined, until: number): Row {
  return [0, 0, until]
}

/** The time from which an override means nothing. A block is kept until it no longer makes the next one longer. */
export function overrideEnds(override: Row): number {
  return Math.max(override[BLOCKED_UNTIL] + override[BLOCK_MS], override[EXEMPT_UNTIL])
}

/** How long the block of a state lasts; 0 without one. */
export function blockedMs({ override, now }: OverrideAt): number {
  return override === undefined ? 0 : Math.max(0, override[BLOCKED_UNTIL] - now)
}

/** How long the exemption of a state lasts; 0 without one. */
export function exemptMs({ override, now }: OverrideAt): number {
  return override === undefined ? 0 : Math.max(0, override[EXEMPT_UNTIL] - now)
}

/** Whether an exemption allows this policy, so that nothing is counted. */
export function isExempt(state: OverrideAt): boolean {
  return exemptMs(state) > 0
}

/** Whether the override allows a cost that the count does not. */
export function overrideAllows(state: OverrideAt, _cost: number): boolean {
  return isExempt(state)
}

/** Whether the last override is an exemption, which can have ended. */
export function isExemption(override: Row): boolean {
  return override[EXEMPT_UNTIL] > 0
}

/** The length of the last block if the limit started it; 0 otherwise. */
export function blockLength(override: Row | undefined): number {
  return override === undefined ? 0 : override[BLOCK_MS]
}

/** The time at which the limit started the last block. */
export function blockStart(override: Row | undefined): number {
  return override === undefined ? 0 : override[BLOCKED_UNTIL] - override[BLOCK_MS]
}
