/**
 * Escapes a text from outside for a terminal. Control characters could move the cursor or change the title of the window, and direction marks could make
 * a text look like another one. They are written as `\u{1b}`.
 */
export function visible(text: string): string {
  return text.replace(hidden, (character) => `\\u{${hexOf(character)}}`)
}

/**
 * Formats a value as JSON in which such characters are escaped.
 *
 * @param indent 0: in one line
 */
export function visibleJson(value: unknown, indent = 2): string {
  // JSON escapes line breaks in texts itself, so the remaining ones belong to the layout.
  const json = JSON.stringify(value, undefined, indent)
  return json.replace(hiddenInJson, (character) =>
    character
      .split('')
      .map((unit) => `\\u${hexOf(unit).padStart(4, '0')}`)
      .join(''),
  )
}

const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu
const hiddenInJson = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

function hexOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16)
}
