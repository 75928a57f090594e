import type { Row } from '../algorithms/algorithm.js'

// The block, the exemption and the grant of a policy's key, beside its count. For every store, the override is an opaque row of whole numbers, each 0 or more,
// and a shorter row ends with zeros. No store knows a cell: only `run`, its twin in Lua, and this file do.
// row: [the end of the last block, the length by which the limit started it (0: a call started it), the end of the exemption,
//       the end of the grant, the granted units, those of them that were taken,
//       (only in a receipt) the units that this request took from the grant]
// A block and an exemption replace each other. A grant stays beside them.
const BLOCKED_UNTIL = 0
const BLOCK_MS = 1
const EXEMPT_UNTIL = 2
const GRANT_ENDS = 3
const GRANTED = 4
const GRANT_USED = 5
const PAID = 6

export const overrideWidth = 7

/** The override of a key at a time. */
export interface OverrideAt {
  /** A block, an exemption and a grant, each of which can have ended; undefined without any. */
  readonly override: Row | undefined
  readonly now: number
}

/** The override of a row of cells; undefined if it is all zeros, as that of a key without one. */
export function overrideOf(cells: Row): Row | undefined {
  return cells.some((cell) => cell > 0) ? cells : undefined
}

/** All cells of an override, as a request begins with them. */
export function cellsAtStart(override: Row): Row {
  return [...cellsOf(override).slice(0, PAID), 0]
}

/** A copy of all cells. */
function cellsOf(override: Row | undefined): Row {
  return Array.from({ length: overrideWidth }, (_, i) => override?.[i] ?? 0)
}

export function blockUntil(override: Row | undefined, until: number, lengthMs: number): Row {
  return [until, lengthMs, 0, ...cellsOf(override).slice(GRANT_ENDS)]
}

export function exemptUntil(override: Row | undefined, until: number): Row {
  return [0, 0, until, ...cellsOf(override).slice(GRANT_ENDS)]
}

export function grantUntil(override: Row | undefined, until: number, units: number): Row {
  return [...cellsOf(override).slice(0, GRANT_ENDS), until, units, 0, 0]
}

/** The override without its block, its exemption, or its grant. */
export function overrideWithout(
  override: Row | undefined,
  part: 'block' | 'exemption' | 'grant',
): Row {
  if (part === 'grant') return grantUntil(override, 0, 0)
  const [blockedUntil, blockMs, exemptUntil, ...grant] = cellsOf(override)
  return part === 'block' ? [0, 0, exemptUntil, ...grant] : [blockedUntil, blockMs, 0, ...grant]
}

/** The time from which an override means nothing. A block is kept until it no longer makes the next one longer. */
export function overrideEnds(override: Row): number {
  return Math.max(
    override[BLOCKED_UNTIL] + override[BLOCK_MS],
    override[EXEMPT_UNTIL],
    override[GRANT_ENDS],
  )
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

/** The units that are left of a grant; undefined without one. */
export function grantedUnits({ override, now }: OverrideAt): number | undefined {
  if (override === undefined || override[GRANT_ENDS] <= now) return undefined
  return Math.max(0, override[GRANTED] - override[GRANT_USED])
}

/** Whether a grant pays the whole cost. Nothing is left of one to pay a cost of 0 if it is used up. */
export function isGranted(state: OverrideAt, cost: number): boolean {
  return (grantedUnits(state) ?? 0) >= Math.max(1, cost)
}

/** Whether the override allows a cost that the count does not: by an exemption, or by a grant of a key that is not blocked. */
export function overrideAllows(state: OverrideAt, cost: number): boolean {
  return isExempt(state) || (blockedMs(state) === 0 && isGranted(state, cost))
}

/** The override after a request that its grant pays. It is the receipt as well. */
export function paidBy(override: Row, units: number): Row {
  const row = [...override]
  row[GRANT_USED] += units
  row[PAID] = units
  return row
}

/** The units that a request took from the grant. */
export function paidUnits(override: Row | undefined): number {
  return override?.[PAID] ?? 0
}

/** The override after units of a receipt were returned, or more were taken if they are negative. Undefined if the grant that paid them has ended, or was replaced. */
export function repaid(state: OverrideAt, receipt: Row, units: number): Row | undefined {
  const { override } = state
  const isOwn = override?.[GRANT_ENDS] === receipt[GRANT_ENDS]
  if (override === undefined || !isOwn || grantedUnits(state) === undefined) return undefined
  const row = cellsOf(override)
  row[GRANT_USED] = Math.max(0, row[GRANT_USED] - units)
  return row
}

/** The length of the last block if the limit started it, and it ended no longer ago than that; 0 otherwise. */
export function lastBlockMs({ override, now }: OverrideAt): number {
  if (override === undefined || now >= override[BLOCKED_UNTIL] + override[BLOCK_MS]) return 0
  return override[BLOCK_MS]
}

/** The time at which the limit started the last block. */
export function blockStart(override: Row | undefined): number {
  return override === undefined ? 0 : override[BLOCKED_UNTIL] - override[BLOCK_MS]
}
