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

/** Adds spaces on the right, or on the left, up to this number of columns. */
export function padTo(columns: number, text: string, isRight = false): string {
  const space = ' '.repeat(Math.max(0, columns - widthOf(text)))
  return isRight ? space + text : text + space
}

function columnsOf(character: string): number {
  if (/[\p{Mn}\p{Me}]/u.test(character)) return 0
  return wide.test(character) ? 2 : 1
}

const wide =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]/u
