import { errorOf, type SluiceError } from '../errors.js'
import { requestMessages } from './requests.js'

type RequestMessages = typeof requestMessages

type Details = { [C in keyof RequestMessages]: Parameters<RequestMessages[C]> }

const catalogue: { [C in keyof RequestMessages]: (...details: Details[C]) => string } =
  requestMessages

/** Makes the error of a code of HTTP. */
export function requestError<C extends keyof RequestMessages>(
  code: C,
  ...details: Details[C]
): SluiceError {
  return errorOf(code, catalogue[code](...details), details)
}
