/** The number of columns of a terminal that a text takes: letters of East Asia and emoji take two, marks on a letter none. */
export function widthOf(text: string): number {
  let width = 0
  for (const character of text) width += columnsOf(character)
  return width
}

/** Cuts a text that takes more columns than this, and marks the cut. */
export function cutTo(columns: number, text: string): string {
  if (widthOf(text) <= columns) return text
  let [kept, width] = ['', 0]
  for (const character of text) {
    width += columnsOf(character)
    if (width >= columns) break
    kept += character
  }
  return columns > 0 ? `${kept}…` : ''
}

/** The rows of a table as lines. The last column is not filled up. */
export function aligned(
  rows: readonly (readonly string[])[],
  isRight: (column: number) => boolean,
  gap = 2,
): readonly string[] {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => widthOf(row[i]))))
  return rows.map((row) =>
    row
      .map((cell, i) => {
        const space = ' '.repeat(widths[i] - widthOf(cell))
        if (isRight(i)) return space + cell
        return i === row.length - 1 ? cell : cell + space
      })
      .join(' '.repeat(gap)),
  )
}

function columnsOf(character: string): number {
  if (/[\p{Mn}\p{Me}]/u.test(character)) return 0
  return wide.test(character) ? 2 : 1
}

const wide =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]/u
