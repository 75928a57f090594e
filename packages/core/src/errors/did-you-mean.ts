/**
 * The known word that a misspelled one most likely means: the one at the smallest edit distance, if at most a third of its letters differ.
 * Case does not count. Undefined if no word is that close.
 */
export function nearestWord(word: string, known: readonly string[]): string | undefined {
  let nearest: string | undefined
  let least = Infinity
  for (const candidate of known) {
    const longer = Math.max(word.length, candidate.length)
    // Checked first, because the work grows with the product of both lengths.
    if (longer > longestWord) continue
    const edits = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (edits <= longer / 3 && edits < least) {
      nearest = candidate
      least = edits
    }
  }
  return nearest
}

const longestWord = 64

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
  let beforeLast: readonly number[] = []
  let last: readonly number[] = Array.from({ length: to.length + 1 }, (_, j) => j)
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    for (let j = 1; j <= to.length; j++) {
      const substituted = last[j - 1] + (from[i - 1] === to[j - 1] ? 0 : 1)
      row[j] = Math.min(last[j] + 1, row[j - 1] + 1, substituted)
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      if (swapped) row[j] = Math.min(row[j], beforeLast[j - 2] + 1)
    }
    beforeLast = last
    last = row
  }
  return last[to.length]
}
