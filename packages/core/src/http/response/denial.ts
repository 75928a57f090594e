import preferredMediaTypes from 'negotiator/lib/mediaType.js'
import type { Awaitable } from '../../awaitable.js'
import { sluiceError, sluiceErrorFrom } from '../../errors.js'
import type { Decision } from '../../limiter/decision.js'
import { receiptOf } from '../../limiter/receipt.js'
import { blockedMs } from '../../stores/override.js'
import type { RequestView } from '../request/view.js'
import type { Counted, DenialAnswer } from './limit-result.js'
import type { DenialBody, DenialBodyFunction, RequestDecision } from './request-decision.js'

/** A body and its media type. */
export interface Content {
  readonly type: string
  readonly text: string
}

/** A denial as its body tells it. */
export interface Denial {
  readonly status: number
  readonly decision: RequestDecision
  /** Undefined if no limit denies the request. */
  readonly counted: Counted | undefined
  readonly retryAfter: number
  /** The policies that deny the request, by the names that clients read. */
  readonly violated: readonly string[]
  readonly answer: DenialAnswer | undefined
}

/** Writes the body of a denial: that of the answer, that of the options, or a problem. */
export type BodyWriter<R> = (view: RequestView<R>, denial: Denial) => Awaitable<Content>

interface BodyOptions<R> {
  readonly body?: DenialBody | DenialBodyFunction<R> | undefined
  readonly localShare?: number | undefined
}

/**
 * Makes the function that writes the body of a denial.
 *
 * @throws SluiceError SLUICE_OPTION_INVALID if the body of the application cannot be sent
 */
export function bodyWriter<R>({ body, localShare = 1 }: BodyOptions<R>): BodyWriter<R> {
  const isFunction = typeof body === 'function'
  const fixed = body === undefined || isFunction ? undefined : contentOf(body)

  return async function writeBody(
    view,
    { status, decision, counted, retryAfter, violated, answer },
  ) {
    if (answer?.body !== undefined) return contentOf(answer.body)
    const members = answer?.members
    if (counted === undefined) return refusalContent(view, status, members)
    if (members === undefined && fixed !== undefined) return fixed
    if (members === undefined && isFunction) {
      return contentOf(await body(view.raw, decision), 'SLUICE_RESULT_INVALID')
    }
    const [type, title] = problems[causeOf(counted.decision, localShare)]
    const detail =
      counted.decision.retryAfterMs === null
        ? 'The request asks for more than the quota can ever give, so waiting does not help.'
        : `Try again in ${waitInWords(retryAfter)}.`
    const problem = { type, title, status, detail, 'violated-policies': violated, ...members }
    return contentOfProblem(view, problem)
  }
}

/** The body for a client that is denied without a limit, such as one in the list `deny`. It gives neither a reason nor a time to retry. */
export function refusalContent(
  view: RequestView<unknown>,
  status: number,
  members?: object,
): Content {
  const title = reasons.get(`${status}`) ?? `Status ${status}`
  return contentOfProblem(view, { title, status, ...members })
}

const statuses =
  '400 Bad Request, 401 Unauthorized, 402 Payment Required, 403 Forbidden, 404 Not Found, 405 Method Not Allowed, 406 Not Acceptable, ' +
  '407 Proxy Authentication Required, 408 Request Timeout, 409 Conflict, 410 Gone, 411 Length Required, 412 Precondition Failed, ' +
  '413 Payload Too Large, 414 URI Too Long, 415 Unsupported Media Type, 416 Range Not Satisfiable, 417 Expectation Failed, ' +
  "418 I'm a Teapot, 421 Misdirected Request, 422 Unprocessable Entity, 423 Locked, 424 Failed Dependency, 425 Too Early, " +
  '426 Upgrade Required, 428 Precondition Required, 429 Too Many Requests, 431 Request Header Fields Too Large, ' +
  '451 Unavailable For Legal Reasons, 500 Internal Server Error, 501 Not Implemented, 502 Bad Gateway, 503 Service Unavailable, ' +
  '504 Gateway Timeout, 505 HTTP Version Not Supported, 506 Variant Also Negotiates, 507 Insufficient Storage, 508 Loop Detected, ' +
  '509 Bandwidth Limit Exceeded, 510 Not Extended, 511 Network Authentication Required'

/** The reason phrases of errors, by their status. The modules of Node have them as well, but other runtimes do not. */
const reasons: ReadonlyMap<string, string> = new Map(
  statuses.split(', ').map((each) => [each.slice(0, 3), each.slice(4)]),
)

interface Problem {
  readonly title: string
  readonly detail?: string
  readonly [member: string]: unknown
}

/** JSON (RFC 9457) or plain text, by the `Accept` header. A problem without a type means the same as its status code. */
function contentOfProblem({ headers }: RequestView<unknown>, problem: Problem): Content {
  const { title, detail } = problem
  return prefersText(headers['accept'])
    ? plainText(detail === undefined ? `${title}\n` : `${title}. ${detail}\n`)
    : { type: 'application/problem+json', text: JSON.stringify(problem) }
}

// draft-ietf-httpapi-ratelimit-headers-10, section 5.
const types = 'https://iana.org/assignments/http-problem-types#'

/** For each cause of a denial, the type and the title of the problem. */
const problems = {
  quota: [
    `${types}quota-exceeded`,
    'Request cannot be satisfied as assigned quota has been exceeded',
  ],
  capacity: [
    `${types}temporary-reduced-capacity`,
    'Request cannot be satisfied due to temporary server capacity constraints',
  ],
  abuse: [
    `${types}abnormal-usage-detected`,
    'Request not satisfied due to detection of abnormal request pattern',
  ],
} as const

/**
 * The cause of a denial. While its store is unavailable, a limiter has a reduced capacity if it counts with a share of its limits or denies every request. A
 * policy is blocked by its `block` option or by `limiter.block`.
 *
 * @param localShare the share of each limit while the store is unavailable
 */
function causeOf(decision: Decision, localShare: number): keyof typeof problems {
  if (decision.source === 'closed') return 'capacity'
  const states = receiptOf(decision)?.result.states ?? []
  if (states.some((state) => blockedMs(state) > 0)) return 'abuse'
  return decision.source === 'fallback' && localShare < 1 ? 'capacity' : 'quota'
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
  // In the next smaller unit, 3599 seconds would be rounded to 60 minutes, and a year to 366 days.
  const [unit, length] = units.find(([, length], i) => {
    const missing = units[i + 1]?.[1] ?? 1
    return (wait > length - missing && wait <= length) || wait > 2 * length - missing
  }) ?? ['second', 1]
  const count = Math.ceil(wait / length)
  return count === 1 ? `1 ${unit}` : `${count} ${unit}s`
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

/**
 * The content of the application's own body. An object is JSON and not a problem, even if its members look like those of a problem.
 *
 * @param code the error of an invalid body: that of an option, or that of the result of a function
 * @throws SluiceError of that code if the value is neither a string nor an object with a JSON form
 */
function contentOf(
  body: unknown,
  code: 'SLUICE_OPTION_INVALID' | 'SLUICE_RESULT_INVALID' = 'SLUICE_OPTION_INVALID',
): Content {
  if (typeof body === 'string') return plainText(body)
  const expected = 'a string or an object that JSON can represent (no bigint, no cycle)'
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

function plainText(text: string): Content {
  return { type: 'text/plain; charset=utf-8', text }
}
