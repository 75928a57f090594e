import {
  createGuard,
  type Outcome,
  type RateLimitOptions,
  type RequestView,
} from '../../src/http/index.js'

/** The moment at which everything happens; nothing passes unless a test says so. */
export const start: number = Date.UTC(2026, 0, 1)

/** What a framework would pass: here, whatever the functions under test look at. */
export interface Visit {
  readonly user?: string
  readonly size?: number
}

export type Handler = (decision: unknown) => string

export type Options = RateLimitOptions<Visit, Handler>

/** A guard under a clock that stands still. */
export function guardOf(
  options: Options,
): (
  visit?: Visit,
  seen?: Partial<RequestView<Visit>>,
) => Outcome<Handler> | Promise<Outcome<Handler>> {
  const guard = createGuard<Visit, Handler>({ clock: () => start, ...options })
  return (visit = {}, seen = {}) => guard.check(viewOf(visit, seen))
}

/** As `guardOf`, for options that all answer at once: a promise would be a failure. */
export function syncGuardOf(
  options: Options,
): (visit?: Visit, seen?: Partial<RequestView<Visit>>) => Outcome<Handler> {
  const check = guardOf(options)
  return (visit, seen) => {
    const outcome = check(visit, seen)
    if (outcome instanceof Promise) throw new Error('the guard answered by a promise')
    return outcome
  }
}

export function viewOf(visit: Visit, seen: Partial<RequestView<Visit>> = {}): RequestView<Visit> {
  return {
    raw: visit,
    address: '192.0.2.1',
    method: 'GET',
    route: undefined,
    headers: {},
    ...seen,
  }
}

/** The header fields of an outcome, by name. */
export function fieldsOf(outcome: Outcome<unknown>): Record<string, string> {
  return outcome.type === 'pass' ? {} : Object.fromEntries(outcome.headers)
}

/** The same, of a denial only. */
export function denialOf<H>(outcome: Outcome<H>): Extract<Outcome<H>, { type: 'deny' }> {
  if (outcome.type !== 'deny') throw new Error(`the outcome is "${outcome.type}"`)
  return outcome
}
