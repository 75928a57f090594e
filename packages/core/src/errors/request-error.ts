import { errorOf, type SluiceError } from '../errors.js'
import { requestMessages } from './requests.js'

type RequestMessages = typeof requestMessages

/** Makes the error of a code of HTTP, whose messages programs without HTTP do not load. */
export function requestError<C extends keyof RequestMessages>(
  code: C,
  ...details: Parameters<RequestMessages[C]>
): SluiceError {
  return errorOf(code, requestMessages[code], details)
}
