/** The status and the message of each code. `%` is replaced by the detail. */
export const refusals = {
  SLUICE_VIEW_UNAUTHORIZED: [401, '"authorize" of the dashboard asks for a login.'],
  SLUICE_VIEW_FORBIDDEN: [403, '"authorize" of the dashboard gives this request no role.'],
  SLUICE_VIEW_READ_ONLY: [403, 'The role "read" can look, and cannot act.'],
  SLUICE_VIEW_FOREIGN: [403, 'The request comes from another origin than that of the dashboard.'],
  SLUICE_VIEW_HEADER_MISSING: [403, 'An act needs the header "x-sluice: 1".'],
  SLUICE_VIEW_PATH_UNKNOWN: [404, 'The dashboard has no such path.'],
  SLUICE_VIEW_PAGE_MISSING: [
    404,
    'The files of the page are not beside the code. A bundler has to leave @sluice/dashboard out.',
  ],
  SLUICE_VIEW_METHOD_WRONG: [405, 'This path takes the methods %.'],
  SLUICE_VIEW_BODY_TOO_LARGE: [413, 'The body has more than % bytes.'],
  SLUICE_VIEW_BODY_INVALID: [400, 'The body %.'],
  SLUICE_VIEW_REQUEST_INVALID: [400, 'The request needs %.'],
  SLUICE_VIEW_LIMITER_UNKNOWN: [404, 'The limiter % was not passed to this dashboard.'],
  SLUICE_VIEW_KEY_AMBIGUOUS: [409, 'Several keys are meant. Enter one of them: %'],
  SLUICE_VIEW_KEY_BLOCKED: [400, 'The key is blocked, so nothing was reset. Unblock it first.'],
  SLUICE_VIEW_POLICIES_UNSEEN: [
    400,
    'Each request chooses the policies of the limiter %, and no process has seen one of them yet.',
  ],
  SLUICE_VIEW_LIMIT_VARIES: [
    400,
    'The limit of % depends on the request, and the units of a penalty depend on the limit. Run "sluice penalize" with "--rules" and "--variant", or call the limiter.',
  ],
  SLUICE_VIEW_STORE_UNAVAILABLE: [
    503,
    'The store of the limiter is unavailable, so the act would reach this process only.',
  ],
  SLUICE_VIEW_LATE: [503, '% took too long.'],
  SLUICE_VIEW_FAILED: [500, 'The dashboard failed. A warning of the process has the reason.'],
  SLUICE_SEARCH_UNAVAILABLE: [404, 'Without "share", the dashboard has no Redis to search.'],
  SLUICE_SEARCH_BUSY: [503, 'Other searches are running. Try again in a moment.'],
  SLUICE_SEARCH_FAILED: [503, 'Redis could not be searched: %'],
} as const

/** The code of a failed request. Other codes are those of the errors of limiters and stores. */
export type RefusalCode = keyof typeof refusals

/** A request of the page that fails. It never reaches the application. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(
    code: string,
    status: number,
    message: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
    this.code = code
    this.status = status
    this.headers = headers
  }
}

/** Makes the failure of a code. */
export function refusal(
  code: RefusalCode,
  detail: string | number = '',
  headers?: Readonly<Record<string, string>>,
): Refusal {
  const [status, text] = refusals[code]
  const message = text.replace('%', () => `${detail}`)
  return new Refusal(code, status, message, headers)
}

/** A text of the client in a message: on one line, and not long. */
export function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 80))
}
