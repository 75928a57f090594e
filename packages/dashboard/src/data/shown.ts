import { warnOfFailure } from '@sluice/core/http'
import { sluiceError } from '@sluice/core/internal'
import type { Role } from '../view.js'

/** Returns the text that is shown for the message of an error. */
export type MessageOf = (code: string, message: string) => string

/** The codes whose messages contain only our own text and numbers. */
const withoutKeys: ReadonlySet<string> = new Set([
  'SLUICE_STORE_TIMEOUT',
  'SLUICE_STORE_UNAVAILABLE',
  'SLUICE_STORE_CONTENDED',
  'SLUICE_STORE_CLOSED',
])

/** Who may not see keys sees no message that may contain one: the place of the key in it is not known. */
export function messagesFor(role: Role): MessageOf {
  return (code, message) => (role === 'read' && !withoutKeys.has(code) ? hiddenMessage : message)
}

const hiddenMessage = 'The message is hidden, because it may contain a key. The application has it.'

/** Returns how a visitor of a role sees a key. */
export type KeyFor = (role: Role) => (key: string) => string

const hiddenKey = '(hidden)'

/** The role `write` sees keys, and the role `read` what `mask` returns for them: without it, nothing. A mask that fails shows nothing either. */
export function keysFor(mask: (key: string) => string = () => hiddenKey): KeyFor {
  let hasFailed = false

  function maskedKey(key: string): string {
    try {
      const text: unknown = mask(key)
      if (typeof text === 'string') return text
      throw sluiceError('SLUICE_RESULT_INVALID', 'createDashboard', 'mask', text, 'a string')
    } catch (error) {
      if (!hasFailed) warnOfFailure(error)
      hasFailed = true
      return hiddenKey
    }
  }

  return (role) => (role === 'write' ? (key) => key : maskedKey)
}
