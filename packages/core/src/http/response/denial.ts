import preferredMediaTypes from 'negotiator/lib/mediaType.js'
import type { Decision } from '../../limiter/decision.js'
import type { Policies } from '../../limiter/bound-policies.js'
import { after, type Awaitable } from '../../awaitable.js'
import { publicNameOf, type PolicyItems } from './policy-items.js'
import type { RequestView } from '../request/view.js'
import { retryAfterSeconds } from './header-fields.js'
import { reasonOf } from './reasons.js'
import { receiptOf } from '../../limiter/receipt.js'
import { sluiceError, sluiceErrorFrom } from '../../errors.js'

type BodyFunction<R> = (request: R, decision: Decision) => Awaitable<DenialBody>

/** A denial by a limit. */
export interface Denial {
  readonly status: number
  readonly policies: Policies
  readonly decision: Decision
  /** The policies as clients read them. */
  readonly items: PolicyItems
}

export type ContentWriter<R> = (view: RequestView<R>, denial: Denial) => Content | Promise<Content>

/**
 * Makes the function that writes the body of a denial: the body of the application, or a problem as JSON or plain text, by the `Accept` header.
 *
 * @param localShare the share of each limit while the store is unavailable
 * @throws SluiceError SLUICE_OPTION_INVALID if the body of the application cannot be sent
 */
export function contentWriter<R>(
  body: DenialBody | BodyFunction<R> | undefined,
  localShare: number,
): ContentWriter<R> {
  if (body === undefined) return (view, denial) => problemContent(view, denial, localShare)
  if (isBodyFunction(body)) {
    return (view, { decision }) =>
      after(body(view.raw, decision), (result) => contentOf(result, 'SLUICE_RESULT_INVALID'))
  }
  const content = contentOf(body, 'SLUICE_OPTION_INVALID')
  return () => content
}

/** The problem of a denial by a limit. `more` are further members of the problem. */
export function problemContent(
  { headers }: RequestView<unknown>,
  { status, policies, decision, items }: Denial,
  localShare: number,
  more?: object,
): Content {
  const { type, title } = problems[denialCauseOf(decision, localShare)]
  const detail = detailOf(policies, decision)
  if (prefersText(headers['accept'])) return plainText(`${title}. ${detail}\n`)
  const violated = {
    'violated-policies': decision.deniedBy.map((policy) => publicNameOf(policy, items)),
  }
  return jsonProblem({ type, title, status, detail, ...violated, ...more })
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
  return prefersText(headers['accept'])
    ? plainText(`${title}
`)
    : jsonProblem({ title, status, ...more })
}

function detailOf(policies: Policies, decision: Decision): string {
  return decision.retryAfterMs === null
    ? 'The request asks for more than the quota can ever give, so waiting does not help.'
    : `Try again in ${waitInWords(retryAfterSeconds(policies, decision))}.`
}

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
  return preferredMediaTypes(header, offered)[0] === 'text/plain'
}

/** Why a request was denied: the problem types of draft-ietf-httpapi-ratelimit-headers-10. */
type DenialCause = 'quota-exceeded' | 'temporary-reduced-capacity' | 'abnormal-usage-detected'

/**
 * The cause of a denial. While its store is unavailable, a limiter has a reduced capacity if it counts with a share of its limits or denies every request.
 *
 * @param localShare the share of each limit while the store is unavailable
 */
function denialCauseOf(decision: Decision, localShare: number): DenialCause {
  const { source } = decision
  if (source === 'closed') return 'temporary-reduced-capacity'
  if (isBlocked(decision)) return 'abnormal-usage-detected'
  return source === 'fallback' && localShare < 1 ? 'temporary-reduced-capacity' : 'quota-exceeded'
}

/** Whether one of the policies is blocked, by its `block` option or by `limiter.block`. */
function isBlocked(decision: Decision): boolean {
  const states = receiptOf(decision)?.states ?? []
  return states.some(({ blockedUntil, now }) => blockedUntil > now)
}

const units = [
  ['year', 31_557_600],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const

/**
 * A number of whole seconds in the largest unit that fits at least twice, or exactly once: 60 seconds are 1 minute, but 119 seconds are not 2 minutes.
 * The number is rounded up, so that a client does not retry too early.
 */
export function waitInWords(wait: number): string {
  for (const [i, [unit, length]] of units.entries()) {
    // In the next smaller unit, 3599 seconds would be rounded to 60 minutes, and a year to 366 days.
    const missing = units[i + 1]?.[1] ?? 1
    const isOnce = wait > length - missing && wait <= length
    if (isOnce || wait > 2 * length - missing) return countOf(Math.ceil(wait / length), unit)
  }
  return countOf(wait, 'second')
}

function countOf(count: number, unit: string): string {
  return count === 1 ? `1 ${unit}` : `${count} ${unit}s`
}

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

function plainText(text: string): Content {
  return { type: 'text/plain; charset=utf-8', text }
}

// RFC 9457. A problem without a type means the same as its status code.
function jsonProblem(problem: object): Content {
  return { type: 'application/problem+json', text: JSON.stringify(problem) }
}
