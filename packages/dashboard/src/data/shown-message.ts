/** The codes whose messages contain only our own text and numbers. */
const withoutKeys: ReadonlySet<string> = new Set([
  'SLUICE_STORE_TIMEOUT',
  'SLUICE_STORE_UNAVAILABLE',
  'SLUICE_STORE_CONTENDED',
  'SLUICE_STORE_CLOSED',
])

/** Returns the text that is shown for the message of an error. */
export type MessageOf = (code: string, message: string) => string

/** With a mask, a message that may contain a key is hidden whole: only the text of a key can be masked, and its place in a message is not known. */
export function messagesFor(isMasked: boolean): MessageOf {
  return (code, message) => (isMasked && !withoutKeys.has(code) ? hidden : message)
}

const hidden = 'The message is hidden, because it may contain a key. The application has it.'
