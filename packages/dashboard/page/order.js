/** @import { DeniedRow } from './state.js' */
/** @import { View } from './view.js' */

/**
 * The rows of a list whose order is held while the reader points at it or has the focus in it, so that a button never changes its key below a click:
 * known rows keep their places, rows that have left the list stay and are marked, and new ones follow.
 * @template {{ limiter: string, id: string, isGone?: boolean }} R
 * @param {readonly R[]} rows
 * @param {readonly R[]} shown the rows so far
 * @param {(row: R) => boolean} isGone whether a row that is not in the list has left it
 * @returns {R[]}
 */
export function heldOrder(rows, shown, isGone) {
  const byName = new Map(rows.map((row) => [nameOf(row), row]))
  const known = new Set(shown.map(nameOf))
  return [
    ...shown.map(
      (row) => byName.get(nameOf(row)) ?? (isGone(row) ? { ...row, isGone: true } : row),
    ),
    ...rows.filter((row) => !known.has(nameOf(row))),
  ]
}

/** @param {{ limiter: string, id: string }} row */
export function nameOf({ limiter, id }) {
  return `${limiter} ${id}`
}

/**
 * Whether a row that a view does not list is no longer limited. In a part of a list, it can also be behind others.
 * @param {View} view
 * @returns {(row: DeniedRow) => boolean}
 */
export function leftList({ at, limiters }) {
  const cut = limiters.filter((one) => one.denied.length < one.deniedTotal)
  const names = new Set(cut.map(({ name }) => name))
  return ({ limiter, untilAt }) => !names.has(limiter) || (untilAt !== null && untilAt <= at)
}
