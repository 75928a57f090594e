import type { Awaitable } from '@sluice/core/http'
import { isRecord, sluiceError } from '@sluice/core/internal'
import type { Visitor } from '../act-event.js'
import { refusal } from '../refusal.js'
import { bounded } from '../share/bounded.js'
import type { Role } from '../view.js'

/**
 * The result of `authorize`: a role, or a role and a name for the events of acts. Without a role, the request is refused: with 401 and the header `WWW-Authenticate`
 * if there is a challenge, such as `{ challenge: 'Basic realm="limits"' }`, at which a browser asks for a name and a password; else with 403.
 */
export type Authorization =
  | Role
  | { readonly challenge: string }
  | { readonly role: Role | undefined; readonly name?: string | undefined }
  | undefined
  | null
  | false

/** The longest that a request waits for `authorize`. */
const waitMs = 5000

/**
 * Asks the application who makes a request. An error of it refuses the request, and is a warning of the process.
 *
 * @throws Refusal SLUICE_VIEW_FORBIDDEN, SLUICE_VIEW_UNAUTHORIZED
 */
export async function visitorOf<R>(
  authorize: (request: R) => Awaitable<Authorization>,
  request: R,
  warn: (error: unknown) => void,
): Promise<Visitor> {
  const given = await answerOf(authorize, request, warn)
  const visitor = typeof given === 'string' ? { role: given } : given
  if (visitor === undefined || visitor === null || visitor === false) throw forbidden()
  const { role, name, challenge } = isRecord(visitor) ? visitor : {}
  if (typeof challenge === 'string' && /^[\x20-\x7E]+$/.test(challenge)) {
    throw refusal('SLUICE_VIEW_UNAUTHORIZED', '', { 'www-authenticate': challenge })
  }
  if (role === undefined) throw forbidden()
  if (role === 'read' || role === 'write') {
    return typeof name === 'string' ? { role, name } : { role }
  }
  const expected = "'write', 'read', { role, name }, { challenge } or undefined"
  warn(sluiceError('SLUICE_RESULT_INVALID', where, 'authorize', given, expected))
  throw forbidden()
}

async function answerOf<R>(
  authorize: (request: R) => Awaitable<Authorization>,
  request: R,
  warn: (error: unknown) => void,
): Promise<unknown> {
  try {
    return await bounded(authorize(request), waitMs, 'The option "authorize"')
  } catch (error) {
    warn(error)
    throw forbidden()
  }
}

const where = 'createDashboard'

function forbidden(): Error {
  return refusal('SLUICE_VIEW_FORBIDDEN')
}
