import { fixedWindow } from '@sluice/core'
import type { AppExtras } from '../test-server.js'
import type { NeutralOptions, OptionsFor } from '../adapter.js'

/** One application, and the requests that it gets, in this order. */
export interface RowGroup {
  readonly limits: string
  readonly options: OptionsFor | NeutralOptions<unknown>
  readonly extras?: AppExtras
  readonly rows: readonly Row[]
}

/** A request, and the answer that it must get on every server. */
interface Row {
  readonly request: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** The milliseconds that pass before it. */
  readonly after?: number
  readonly answer: Cells
}

/** The compared cells: the status, the headers ('' if absent), and the body. */
export type Cells = readonly [
  status: number,
  policy: string,
  limit: string,
  retryAfter: string,
  legacy: string,
  type: string,
  body: string,
]

/** The titles of the cells. The three legacy fields share one: limit, remaining and reset. */
export const columns = [
  'status',
  'RateLimit-Policy',
  'RateLimit',
  'Retry-After',
  'X-RateLimit-*',
  'Content-Type',
  'body',
] as const

export const text = 'text/plain; charset=utf-8'
export const problemType = 'application/problem+json'

/** The reason of a denial, in the two forms of the body. */
export function problem(detail: string, ...policies: readonly string[]): string {
  const type = 'https://iana.org/assignments/http-problem-types#quota-exceeded'
  return JSON.stringify({ type, title, status: 429, detail, 'violated-policies': policies })
}

export const title = 'Request cannot be satisfied as assigned quota has been exceeded'

/** The short form of the options, with windows that open with the first request. */
export const perMinute = (
  limit: number,
): { limit: number; window: '1m'; algorithm: typeof fixedWindow } => ({
  limit,
  window: '1m',
  algorithm: fixedWindow,
})
