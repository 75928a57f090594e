import { limitersIn } from './series.js'

/** @import { DeniedRow } from './state.js' */
/** @import { LimiterView, View } from './view.js' */

/**
 * The rows of a list, of all limiters in scope. Keys that the reader may not see can have one text, so each row has a name of its own.
 * @template {{ key: string }} R
 * @param {View} view
 * @param {string} scope
 * @param {(limiter: LimiterView) => readonly R[]} listOf
 */
export function rowsOf(view, scope, listOf) {
  const isHidden = view.isMasked === true
  return limitersIn(view, scope).flatMap((limiter) => {
    const { name, canAct } = limiter
    return listOf(limiter).map((row, i) =>
      Object.assign(
        { limiter: name, canAct, isHidden, name: `${name} ${isHidden ? i : row.key}` },
        row,
      ),
    )
  })
}

/**
 * The rows of a list whose order is held while the reader points at it or has the focus in it, so that a button never changes its key below a click:
 * known rows keep their places, rows that have left the list stay and are marked, and new ones follow.
 * @template {{ name: string, isGone?: boolean }} R
 * @param {readonly R[]} rows
 * @param {readonly R[]} shown the rows so far
 * @param {(row: R) => boolean} isGone whether a row that is not in the list has left it
 * @returns {R[]}
 */
export function heldOrder(rows, shown, isGone) {
  const byName = new Map(rows.map((row) => [row.name, row]))
  const known = new Set(shown.map(({ name }) => name))
  return [
    ...shown.map((row) => byName.get(row.name) ?? (isGone(row) ? { ...row, isGone: true } : row)),
    ...rows.filter((row) => !known.has(row.name)),
  ]
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
