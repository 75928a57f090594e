/**
 * A text from outside as one line that a terminal only shows. Control characters could move the cursor or change the title of the window, and direction
 * marks could make a text look like another one: they are written as `\u{1b}`.
 */
export function visible(text: string): string {
  return text.replace(hidden, (character) => `\\u{${hexOf(character)}}`)
}

/** JSON of which the same is true. */
export function visibleJson(value: unknown): string {
  // A line break of the layout is no part of a text: within texts, JSON writes it as `\n`.
  const json = JSON.stringify(value, undefined, 2)
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
