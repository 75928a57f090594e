/** Values from outside must not add lines to a log, nor fill it: a text is cut after 80 characters, and a list after 30 items. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text)
}

export function quotedList(texts: readonly string[]): string {
  if (texts.length === 0) return 'none'
  const shown = texts.slice(0, 30).map(quoted).join(', ')
  return texts.length > 30 ? `${shown}, …` : shown
}

/** A value in words. Of an object only the keys are shown. */
export function show(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (typeof value === 'object' && value !== null) {
    const keys = Object.keys(value)
    return keys.length === 0 ? 'an empty object' : `an object with ${quotedList(keys.slice(0, 10))}`
  }
  return typeof value === 'function' ? 'a function' : String(value)
}

/** The reason that an error gives, for the message of another error. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
