/** Values from outside must not add lines to a log, nor fill it: a text is cut after 80 characters, and a list after 50 items. */
export function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 80))
}

export function quotedList(texts: readonly string[]): string {
  return texts.slice(0, 50).map(quoted).join(', ')
}

/** An optional sentence at the end of a message. It may be a question. */
export function sentence(text: string | undefined): string {
  if (text === undefined) return ''
  return text.endsWith('?') ? ` ${text}` : ` ${text}.`
}

/** Whether a value is a request of Node, or one of a framework which wraps it. */
export function isNodeRequest(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'socket' in value && 'headers' in value
}

/** A value in words. Of an object only the keys are shown. */
export function show(value: unknown): string {
  if (typeof value === 'string') return `the string ${quoted(value)}`
  if (typeof value === 'function') return 'a function'
  if (typeof value === 'bigint') return `${value}n`
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (isNodeRequest(value)) return 'a request of Node.js'
  if (typeof value === 'object' && value !== null) {
    const keys = Object.keys(value)
    if (keys.length > 0) return `an object with the keys ${quotedList(keys)}`
    // "[object Map]"
    const type = Object.prototype.toString.call(value).slice(8, -1)
    return type === 'Object' ? 'an empty object' : `an object of the type ${quoted(type)}`
  }
  return String(value)
}
