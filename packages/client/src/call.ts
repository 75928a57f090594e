import { isFunction, isText, memberOf } from '@sluice/core/internal'

/** The methods that a client may repeat (RFC 9110, section 9.2.2). */
const idempotent = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE'])

/** The URL of a call: of a string, a URL, or a request. */
export function urlOf(input: unknown): URL {
  const url = memberOf(input, 'url')
  return new URL(typeof url === 'string' ? url : String(input))
}

/**
 * Whether a call can be sent once more: its body is there after it was sent, and its method is idempotent, or its `Idempotency-Key` makes the server
 * execute it once.
 */
export function isRepeatable(input: unknown, init: unknown, byIdempotencyKey: boolean): boolean {
  const method = memberOf(init, 'method') ?? memberOf(input, 'method') ?? 'GET'
  if (typeof method !== 'string') return false
  const isIdempotent =
    idempotent.has(method.toUpperCase()) || (byIdempotencyKey && hasIdempotencyKey(input, init))
  if (!isIdempotent) return false
  const body = memberOf(init, 'body') ?? memberOf(input, 'body') ?? undefined
  return body === undefined || isKept(body)
}

/** The headers of a call are an object like `Headers`, a list of pairs, or a record. Those of the options replace those of a request, as in fetch. */
function hasIdempotencyKey(input: unknown, init: unknown): boolean {
  const headers = memberOf(init, 'headers') ?? memberOf(input, 'headers') ?? {}
  const fields: Iterable<unknown> = isIterable(headers) ? headers : Object.entries(headers)
  return Array.from(fields).some((field) => {
    const name = memberOf(field, '0')
    const value = memberOf(field, '1')
    return String(name).toLowerCase() === 'idempotency-key' && isText(value)
  })
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return isFunction(memberOf(value, Symbol.iterator))
}

/** Anything else may be a stream, whose content is gone when it was sent. The body of a request is always one. */
function isKept(body: unknown): boolean {
  return (
    typeof body === 'string' ||
    ArrayBuffer.isView(body) ||
    [ArrayBuffer, Blob, FormData, URLSearchParams].some((kind) => body instanceof kind)
  )
}
