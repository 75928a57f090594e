import type { Awaitable } from '../../awaitable.js'
import type { Decision } from '../../limiter/decision.js'

/** The decision on an HTTP request. A package that decides in place of a limit declares its own fields here. */
export interface RequestDecision extends Decision {}

/** The body of a denial. A string is sent as plain text, an object as JSON. */
export type DenialBody = string | object

/** Returns the body of a denial. */
export type DenialBodyFunction<R> = (request: R, decision: RequestDecision) => Awaitable<DenialBody>
