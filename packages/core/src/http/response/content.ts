import { sluiceError, sluiceErrorFrom } from '../../errors.js'

/** A body and its media type. */
export interface Content {
  readonly type: string
  readonly text: string
}

/** A string is sent as plain text, an object as JSON. */
export type DenialBody = string | object

/**
 * The content of the application's own body. An object is JSON and not a problem, even if its members look like those of a problem.
 *
 * @param code the error of an invalid body: that of an option, or that of the result of a function
 * @throws SluiceError of that code if the value is neither a string nor an object with a JSON form
 */
export function contentOf(
  body: unknown,
  code: 'SLUICE_OPTION_INVALID' | 'SLUICE_RESULT_INVALID',
): Content {
  if (typeof body === 'string') return plainText(body)
  let text: string | undefined
  try {
    // Undefined if a method `toJSON` returns undefined.
    if (typeof body === 'object' && body !== null) text = JSON.stringify(body)
  } catch (error) {
    throw sluiceErrorFrom(error, code, 'rateLimit', 'body', body, expected)
  }
  if (text !== undefined) return { type: 'application/json', text }
  throw sluiceError(code, 'rateLimit', 'body', body, expected)
}

const expected = 'a string or an object that JSON can represent (no bigint, no cycle)'

export function plainText(text: string): Content {
  return { type: 'text/plain; charset=utf-8', text }
}

// RFC 9457. A problem without a type means the same as its status code.
export function jsonProblem(problem: object): Content {
  return { type: 'application/problem+json', text: JSON.stringify(problem) }
}
