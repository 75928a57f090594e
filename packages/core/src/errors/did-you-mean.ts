/**
 * The known word that a misspelled one most likely means: the one at the smallest edit distance, if at most a third of its letters differ.
 * Case does not count. Undefined if no word is that close.
 */
export function nearestWord(word: string, known: readonly string[]): string | undefined {
  const near = known
    .map((text) => ({ text, length: Math.max(word.length, text.length) }))
    // Checked first, because the work grows with the product of both lengths.
    .filter(({ length }) => length <= 64)
    .map(({ text, length }) => {
      return { text, length, edits: editDistance(word.toLowerCase(), text.toLowerCase()) }
    })
    .filter(({ length, edits }) => edits <= length / 3)
  return near.sort((a, b) => a.edits - b.edits)[0]?.text
}

/** The known word that a misspelled one may mean, as a question. */
export function didYouMean(word: unknown, known: readonly string[]): string | undefined {
  const nearest = typeof word === 'string' ? nearestWord(word, known) : undefined
  return nearest === undefined ? undefined : `Did you mean "${nearest}"?`
}

/**
 * The optimal string alignment distance: insertions, deletions, substitutions and swaps of two neighbours count 1 each, so that `widnow` is
 * one edit away from `window`.
 */
function editDistance(from: string, to: string): number {
  const rows: (readonly number[])[] = [Array.from({ length: to.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    for (let j = 1; j <= to.length; j++) {
      const substituted = rows[i - 1][j - 1] + (from[i - 1] === to[j - 1] ? 0 : 1)
      row[j] = Math.min(rows[i - 1][j] + 1, row[j - 1] + 1, substituted)
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      if (swapped) row[j] = Math.min(row[j], rows[i - 2][j - 2] + 1)
    }
    rows.push(row)
  }
  return rows[from.length][to.length]
}
