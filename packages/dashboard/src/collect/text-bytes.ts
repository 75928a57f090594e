/** About the bytes that V8 needs for a string: it stores characters above U+00FF, and all others of the same string, in two bytes each. */
export function textBytes(text: string): number {
  // The character of a short text is not worth the look.
  if (text.length <= shortText) return header + shortText
  return header + (/[^\0-\xff]/.test(text) ? 2 * text.length : text.length)
}

const header = 24
const shortText = 24
