/** The methods that a client may repeat (RFC 9110, section 9.2.2). */
const idempotent = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE'])

/** The URL of a call: of a string, a URL, or a request. */
export function urlOf(input: unknown): URL {
  const url = memberOf(input, 'url')
  return new URL(typeof url === 'string' ? url : String(input))
}

/** Whether a call can be sent once more: its method is idempotent, and its body is there after it was sent. */
export function isRepeatable(input: unknown, init: unknown): boolean {
  const method = memberOf(init, 'method') ?? memberOf(input, 'method') ?? 'GET'
  if (typeof method !== 'string' || !idempotent.has(method.toUpperCase())) return false
  const body = memberOf(init, 'body') ?? memberOf(input, 'body') ?? undefined
  return body === undefined || isKept(body)
}

/** Anything else may be a stream, whose content is gone when it was sent. The body of a request is always one. */
function isKept(body: unknown): boolean {
  return (
    typeof body === 'string' ||
    ArrayBuffer.isView(body) ||
    [ArrayBuffer, Blob, FormData, URLSearchParams].some((kind) => body instanceof kind)
  )
}

/** A member of any value; undefined if it has none. */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
