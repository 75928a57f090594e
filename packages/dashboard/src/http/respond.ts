import type { ServerResponse } from 'node:http'
import type { Refusal } from '../refusal.js'

/** Nothing from another origin, and nothing inline. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; frame-ancestors 'none'; base-uri 'none'"

/** The headers of every response. They replace those that the application has set. */
const common: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': policy,
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** A response of the dashboard. */
export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

export function send(response: ServerResponse, isHead: boolean, answer: Answer): void {
  if (response.headersSent || response.writableEnded) return
  const { status, headers = {}, body = '' } = answer
  response.statusCode = status
  for (const [name, value] of Object.entries({ ...common, ...headers })) {
    response.setHeader(name, value)
  }
  if (status !== 304) response.setHeader('content-length', Buffer.byteLength(body))
  if (isHead || status === 304) response.end()
  else response.end(body)
}

/** The header with the version of the JSON answers. The command line reads those of its own version only. */
export const versionHeader = 'x-sluice-view'
export const viewVersion = '1'

export function json(value: unknown, status: number = 200): Answer {
  return {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      [versionHeader]: viewVersion,
    },
    // Encoded once: a string would be read for its length, and again when it is sent.
    body: Buffer.from(JSON.stringify(value)),
  }
}

export function refused({ status, code, message }: Refusal): Answer {
  return json({ error: { code, message } }, status)
}
