import Negotiator from 'negotiator'
import type { Decision } from '../../limiter/decision.js'
import type { Policies } from '../../limiter/bound-policies.js'
import { sluiceError } from '../../errors.js'
import { after, type Awaitable } from '../awaitable.js'
import { denialCauseOf, type DenialCause } from './denial-cause.js'
import type { RequestView } from '../request/request-view.js'
import { retryAfterSeconds } from './retry-after.js'
import { waitInWords } from './wait-in-words.js'

/** A string is sent as plain text, an object as JSON. */
export type DenialBody = string | object

export type DenialBodyFunction<R> = (request: R, decision: Decision) => Awaitable<DenialBody>

/** A body and its media type. */
export interface Content {
  readonly type: string
  readonly text: string
}

export type ContentWriter<R> = (
  view: RequestView<R>,
  policies: Policies,
  decision: Decision,
) => Content | Promise<Content>

/**
 * Writes the body of a denial: the application's own, or a problem in the form that the client asks for.
 *
 * @param localShare the share of each limit while the store is unavailable
 */
export function contentWriter<R>(
  status: number,
  body: DenialBody | DenialBodyFunction<R> | undefined,
  localShare: number,
): ContentWriter<R> {
  if (body === undefined) {
    return ({ headers }, policies, decision) => {
      const { type, title } = problems[denialCauseOf(decision, localShare)]
      const detail = detailOf(policies, decision)
      if (prefersText(headers['accept'])) return textOf(`${title}. ${detail}`)
      return problemOf({ type, title, status, detail, 'violated-policies': decision.deniedBy })
    }
  }
  if (isBodyFunction(body)) {
    return (view, _policies, decision) => after(body(view.raw, decision), contentOf)
  }
  const content = contentOf(body)
  return () => content
}

// To the compiler a function is an object as well.
function isBodyFunction<R>(
  body: DenialBody | DenialBodyFunction<R>,
): body is DenialBodyFunction<R> {
  return typeof body === 'function'
}

/** The body for a client that the list `deny` names. It says nothing of the list, and no time at which to come back. */
export function refusal({ headers }: RequestView<unknown>): Content {
  return prefersText(headers['accept'])
    ? textOf('Forbidden')
    : problemOf({ title: 'Forbidden', status: 403 })
}

// Whatever its members are, an object is sent as it is: to call it a problem would be a guess.
function contentOf(body: DenialBody): Content {
  if (typeof body === 'string') return { type: plainText, text: body }
  if (typeof body === 'object' && body !== null) {
    return { type: 'application/json', text: JSON.stringify(body) }
  }
  const expected = 'a function that gives a string or an object'
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

// RFC 9457. Without a type of its own, a problem says no more than its status does.
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

// A client that asks for JSON can read a problem. A client that accepts neither gets a problem as well, rather than a 406.
const offered = ['application/problem+json', 'application/json', 'text/plain']

/** Browsers send about 150 characters. To read a header of 16 kB takes milliseconds, in each denial. */
const longestAccept = 512

/** Whether the client prefers plain text. An `Accept` header that is too long reads as absent. */
function prefersText(accept: string | string[] | undefined): boolean {
  if (accept === undefined || accept === '*/*') return false
  const header = typeof accept === 'string' ? accept : accept.join(', ')
  if (header.length > longestAccept) return false
  return new Negotiator({ headers: { accept: header } }).mediaType(offered) === 'text/plain'
}
