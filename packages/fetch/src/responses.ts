import type { Body, HeaderField } from '@sluice/core/http'

/** The body of a denial. The response to a HEAD request has none, and some statuses forbid one. */
export function denialBody(request: Request, status: number, body: string): string | null {
  return request.method === 'HEAD' || nullBodyStatuses.has(status) ? null : body
}

const nullBodyStatuses = new Set([101, 103, 204, 205, 304])

/** Whether a value is a Response, also one of another realm or of a polyfill. A handler may return another value: `undefined` after an upgrade on Bun. */
export function isResponse(value: unknown): value is Response {
  return typeof value === 'object' && value !== null && 'bodyUsed' in value && 'status' in value
}

/** Whether the server will send the body of a response. After an upgrade, the connection carries something else. */
export function sendsBody(request: Request, response: Response): boolean {
  const { status, webSocket = null }: Response & { readonly webSocket?: unknown } = response
  return status !== 101 && webSocket === null && request.method !== 'HEAD'
}

/** The response with these fields and, if given, with this body. It is the same response, if that is possible. */
export function withFields(
  response: Response,
  fields: Iterable<HeaderField>,
  body?: Body,
): Response {
  if (body !== undefined) return written(new Response(body, response), fields)
  try {
    return written(response, fields)
  } catch (error) {
    // The headers of a redirect and of a response of `fetch` are immutable. A copy cannot have other statuses than these.
    if (response.status < 200 || response.status > 599) return response
    if (!(error instanceof TypeError)) throw error
    return written(new Response(response.body, response), fields)
  }
}

function written(response: Response, fields: Iterable<HeaderField>): Response {
  const { headers } = response
  for (const [name, value] of fields) headers.set(name, value)
  return response
}
