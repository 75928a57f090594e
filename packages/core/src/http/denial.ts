import Negotiator from 'negotiator'
import type { Decision } from '../decision.js'
import { sluiceError } from '../errors.js'
import { after, type Awaitable } from './awaitable.js'
import { seconds, type HeaderField } from './header-fields.js'
import type { RequestView } from './request-view.js'

/** A string is sent as plain text, an object as JSON. */
export type DenialBody = string | object

export type DenialBodyFunction<R> = (request: R, decision: Decision) => Awaitable<DenialBody>

/** A body and its media type. */
export interface Content {
  readonly type: string
  readonly text: string
}

/** Writes the body of a denial: the application's own, or a problem in the form that the client asks for. */
export function contentWriter<R>(
  status: number,
  body: DenialBody | DenialBodyFunction<R> | undefined,
): (view: RequestView<R>, decision: Decision) => Content | Promise<Content> {
  if (body === undefined) return (view, decision) => problemContent(view, status, decision)
  if (isBodyFunction(body)) return (view, decision) => after(body(view.raw, decision), contentOf)
  const content = contentOf(body)
  return () => content
}

// To the compiler a function is an object as well.
function isBodyFunction<R>(
  body: DenialBody | DenialBodyFunction<R>,
): body is DenialBodyFunction<R> {
  return typeof body === 'function'
}

/** RFC 9110, section 10.2.3, in whole seconds. At least 1: 0 would invite the client to come back at once. */
export function retryAfter(decision: Decision): HeaderField {
  return ['Retry-After', `${waitSeconds(decision)}`]
}

/** Until the cost fits; where it never does, until the quota is full, which is all there is to wait for. */
function waitSeconds({ retryAfterMs, resetMs }: Decision): number {
  return Math.max(1, seconds(retryAfterMs ?? resetMs))
}

/** What a client is told that a list denies: nothing of the list, and nothing of when it may come again. */
export function refusal({ headers }: RequestView<unknown>): Content {
  return prefersText(headers['accept'])
    ? { type: plainText, text: 'Forbidden\n' }
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

function problemContent(
  { headers }: RequestView<unknown>,
  status: number,
  decision: Decision,
): Content {
  const detail =
    decision.retryAfterMs === null
      ? 'The request asks for more than the quota can ever give, so waiting does not help.'
      : `Try again in ${counted(waitSeconds(decision), 'second')}.`
  if (prefersText(headers['accept'])) {
    return { type: plainText, text: `${title}. ${detail}\n` }
  }
  return problemOf({ type, title, status, detail, 'violated-policies': decision.deniedBy })
}

// RFC 9457. Without a type of its own, a problem says no more than its status does.
function problemOf(problem: object): Content {
  return { type: 'application/problem+json', text: JSON.stringify(problem) }
}

const plainText = 'text/plain; charset=utf-8'

// draft-ietf-httpapi-ratelimit-headers-10, section 5.1.
const type = 'https://iana.org/assignments/http-problem-types#quota-exceeded'
const title = 'Request cannot be satisfied as assigned quota has been exceeded'

// Who asks for JSON can read a problem. Who accepts neither is told all the same, rather than answered 406.
const offered = ['application/problem+json', 'application/json', 'text/plain']

function prefersText(accept: string | string[] | undefined): boolean {
  if (accept === undefined || accept === '*/*') return false
  const headers = { accept: typeof accept === 'string' ? accept : accept.join(', ') }
  return new Negotiator({ headers }).mediaType(offered) === 'text/plain'
}

function counted(count: number, unit: string): string {
  return count === 1 ? `1 ${unit}` : `${count} ${unit}s`
}
