/**
 * The rows of a list whose order is held while the reader points at it or has the focus in it, so that a button never changes its key below a click:
 * known rows keep their places, rows that have left the list stay and are marked, and new ones follow.
 * @template {{ limiter: string, id: string, isGone?: boolean }} R
 * @param {readonly R[]} rows
 * @param {readonly R[]} shown the rows so far
 * @returns {R[]}
 */
export function heldOrder(rows, shown) {
  const byName = new Map(rows.map((row) => [nameOf(row), row]))
  const known = new Set(shown.map(nameOf))
  return [
    ...shown.map((row) => byName.get(nameOf(row)) ?? { ...row, isGone: true }),
    ...rows.filter((row) => !known.has(nameOf(row))),
  ]
}

/** @param {{ limiter: string, id: string }} row */
export function nameOf({ limiter, id }) {
  return `${limiter} ${id}`
}
