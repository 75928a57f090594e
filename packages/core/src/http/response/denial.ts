import Negotiator from 'negotiator'
import type { Decision } from '../../limiter/decision.js'
import type { Policies } from '../../limiter/bound-policies.js'
import { after, type Awaitable } from '../awaitable.js'
import { contentOf, jsonProblem, plainText, type Content, type DenialBody } from './content.js'
import { denialCauseOf, type DenialCause } from './denial-cause.js'
import { publicNameOf, type PolicyItems } from './policy-items.js'
import type { RequestView } from '../request/request-view.js'
import { retryAfterSeconds } from './retry-after.js'
import { waitInWords } from './wait-in-words.js'

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

/** The reason phrase of a status. Undefined outside Node. */
function reasonOf(status: number): string | undefined {
  const http = globalThis.process?.getBuiltinModule?.('node:http')
  return http?.STATUS_CODES[status]
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
  return new Negotiator({ headers: { accept: header } }).mediaType(offered) === 'text/plain'
}
