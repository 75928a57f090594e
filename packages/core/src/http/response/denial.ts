import Negotiator from 'negotiator'
import type { Decision } from '../../limiter/decision.js'
import type { Policies } from '../../limiter/bound-policies.js'
import { sluiceError } from '../../errors.js'
import { after, type Awaitable } from '../awaitable.js'
import { denialCauseOf, type DenialCause } from './denial-cause.js'
import { publicNameOf, type PublicNames } from './policy-items.js'
import type { RequestView } from '../request/request-view.js'
import { retryAfterSeconds } from './retry-after.js'
import { waitInWords } from './wait-in-words.js'

/** A string is sent as plain text, an object as JSON. */
export type DenialBody = string | object

type BodyFunction<R> = (request: R, decision: Decision) => Awaitable<DenialBody>

/** A body and its media type. */
export interface Content {
  readonly type: string
  readonly text: string
}

export type ContentWriter<R> = (
  view: RequestView<R>,
  policies: Policies,
  decision: Decision,
  names?: PublicNames,
) => Content | Promise<Content>

/**
 * Writes the body of a denial: the body of the application, or a problem as JSON or plain text, by the `Accept` header.
 *
 * @param localShare the share of each limit while the store is unavailable
 */
export function contentWriter<R>(
  status: number,
  body: DenialBody | BodyFunction<R> | undefined,
  localShare: number,
): ContentWriter<R> {
  if (body === undefined) {
    return (view, policies, decision, names) =>
      problemContent(view, policies, decision, { status, localShare, names })
  }
  if (isBodyFunction(body)) {
    return (view, _policies, decision) => after(body(view.raw, decision), contentOf)
  }
  const content = contentOf(body)
  return () => content
}

interface ProblemOptions {
  readonly status: number
  /** The share of each limit while the store is unavailable. */
  readonly localShare: number
  readonly names?: PublicNames | undefined
  /** Further members of the problem. */
  readonly more?: object
}

/** The problem of a denial by a limit. */
export function problemContent(
  { headers }: RequestView<unknown>,
  policies: Policies,
  decision: Decision,
  { status, localShare, names, more }: ProblemOptions,
): Content {
  const { type, title } = problems[denialCauseOf(decision, localShare)]
  const detail = detailOf(policies, decision)
  if (prefersText(headers['accept'])) return textOf(`${title}. ${detail}`)
  const violated = {
    'violated-policies': decision.deniedBy.map((policy) => publicNameOf(policy, names)),
  }
  return problemOf({ type, title, status, detail, ...violated, ...more })
}

// TypeScript does not exclude functions from `object`.
function isBodyFunction<R>(body: DenialBody | BodyFunction<R>): body is BodyFunction<R> {
  return typeof body === 'function'
}

/** The body for a client that is denied without a limit, such as one in the list `deny`. It gives neither a reason nor a time to retry. */
export function refusalContent(
  { headers }: RequestView<unknown>,
  status: number,
  more?: object,
): Content {
  const title = reasonOf(status) ?? `Status ${status}`
  return prefersText(headers['accept']) ? textOf(title) : problemOf({ title, status, ...more })
}

/** The reason phrase of a status. Undefined outside Node. */
function reasonOf(status: number): string | undefined {
  const http = globalThis.process?.getBuiltinModule?.('node:http')
  return http?.STATUS_CODES[status]
}

// An object of the application is JSON and not a problem, even if its members look like those of a problem.
export function contentOf(body: DenialBody): Content {
  if (typeof body === 'string') return { type: plainText, text: body }
  if (typeof body === 'object' && body !== null) {
    return { type: 'application/json', text: JSON.stringify(body) }
  }
  const expected = 'a function that returns a string or an object'
  throw sluiceError('SLUICE_OPTION_INVALID', 'rateLimit', 'body', body, expected)
}

function detailOf(policies: Policies, decision: Decision): string {
  return decision.retryAfterMs === null
    ? 'The request asks for more than the quota can ever give, so waiting does not help.'
    : `Try again in ${waitInWords(retryAfterSeconds(policies, decision))}.`
}

function textOf(text: string): Content {
  return { type: plainText, text: `${text}\n` }
}

// RFC 9457. A problem without a type means the same as its status code.
function problemOf(problem: object): Content {
  return { type: 'application/problem+json', text: JSON.stringify(problem) }
}

const plainText = 'text/plain; charset=utf-8'

// draft-ietf-httpapi-ratelimit-headers-10, section 5.
const types = 'https://iana.org/assignments/http-problem-types#'

const problems: Readonly<Record<DenialCause, { readonly type: string; readonly title: string }>> = {
  'quota-exceeded': {
    type: `${types}quota-exceeded`,
    title: 'Request cannot be satisfied as assigned quota has been exceeded',
  },
  'temporary-reduced-capacity': {
    type: `${types}temporary-reduced-capacity`,
    title: 'Request cannot be satisfied due to temporary server capacity constraints',
  },
  'abnormal-usage-detected': {
    type: `${types}abnormal-usage-detected`,
    title: 'Request not satisfied due to detection of abnormal request pattern',
  },
}

// A client that accepts JSON can read a problem. Other clients also receive a problem, rather than a 406.
const offered = ['application/problem+json', 'application/json', 'text/plain']

/** Browsers send about 150 characters. Parsing a header of 16 kB would take milliseconds for each denial. */
const maxAcceptLength = 512

/** Whether the client prefers plain text. A longer `Accept` header is ignored. */
function prefersText(accept: string | string[] | undefined): boolean {
  if (accept === undefined || accept === '*/*') return false
  const header = typeof accept === 'string' ? accept : accept.join(', ')
  if (header.length > maxAcceptLength) return false
  return new Negotiator({ headers: { accept: header } }).mediaType(offered) === 'text/plain'
}
