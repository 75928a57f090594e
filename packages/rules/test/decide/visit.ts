import {
  createGuard,
  type Action,
  type EarlierHeaders,
  type NodeResponse,
  type RateLimitOptions,
  type RequestView,
} from '@sluice/core/http'

/** The time of the clock at the start. Only a test advances it. */
export const start: number = Date.UTC(2026, 0, 1)

/** A request with the properties that the functions under test read. */
export interface Visit {
  readonly user?: string
  readonly size?: number
}

export type Handler = (decision: unknown) => string

export type Options = RateLimitOptions<Visit, Handler>

/** A guard with a clock that does not advance. */
export function guardOf(options: Options): (visit: Visit) => Promise<Action<Handler>> {
  const guard = createGuard<Visit, Handler>({ clock: () => start, ...options })
  return (visit) => guard.check(viewOf(visit), response, noHeaders)
}

/** A response that never ends. */
export const response: NodeResponse = {
  statusCode: 200,
  headersSent: false,
  writableEnded: false,
  once: () => {},
  off: () => {},
  end: () => {},
}

/** The headers of a response that has none yet. */
export const noHeaders: EarlierHeaders = { getHeader: () => undefined }

export function viewOf(visit: Visit, seen: Partial<RequestView<Visit>> = {}): RequestView<Visit> {
  return {
    raw: visit,
    address: '192.0.2.1',
    peer: '192.0.2.1',
    trustsEveryProxy: false,
    method: 'GET',
    url: '/',
    route: undefined,
    headers: {},
    sent: [],
    ...seen,
  }
}

/** The header fields of an action, by name. */
export function fieldsOf({ headers }: Action<unknown>): Record<string, string> {
  return Object.fromEntries(headers)
}

/** The action, which has to be a denial. */
export function denialOf<H>(action: Action<H>): Extract<Action<H>, { type: 'deny' }> {
  if (action.type !== 'deny') throw new Error(`the action is "${action.type}"`)
  return action
}

/** The action, which has to call the application's handler. */
export function handlingOf<H>(action: Action<H>): Extract<Action<H>, { type: 'handle' }> {
  if (action.type !== 'handle') throw new Error(`the action is "${action.type}"`)
  return action
}
