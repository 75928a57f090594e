import ipaddr from 'ipaddr.js'
import { emitWarning, warn } from '../../errors.js'
import { requestError } from '../../errors/request-error.js'
import { show } from '../../errors/quoting.js'
import { withProcess } from '../../runtime.js'
import { addressOf } from '../lists/address.js'
import type { RequestView } from './view.js'

/** Mistakes show early, so the checks stop after this many requests, and read nothing from then on. */
const checkedRequests = 1000

/** The names of limiters that were used as soon as they were made. A second one of a name shows that a handler makes them. */
const usedAtOnce = new Set<string>()

/** Warns if one limiter counts a request twice, and if a limiter is made for each request. */
export function watchRequests(limiter: string, madeAhead: boolean): (request: unknown) => void {
  const seen = new WeakSet<object>()
  let left = checkedRequests
  // A module that makes limiters has ended before a request reaches them, even if the request loads the module. A request in the same microtask shows that
  // a handler made the limiter, or a test. A timer would show it too, but Workers allow no timers before their first request.
  let fresh = !madeAhead
  if (fresh) queueMicrotask(() => (fresh = false))

  return function watchRequest(request) {
    if (left === 0) return
    left--
    if (fresh) {
      fresh = false
      if (usedAtOnce.has(limiter)) warn(requestError('SLUICE_MADE_IN_HANDLER', limiter))
      else if (usedAtOnce.size < checkedRequests) usedAtOnce.add(limiter)
    }
    if (typeof request !== 'object' || request === null) return
    if (seen.has(request)) warn(requestError('SLUICE_COUNTED_TWICE', limiter))
    seen.add(request)
  }
}

/** Warns if addresses are those of a proxy, or can be forged by the client. */
export function watchAddresses(): (view: RequestView<unknown>) => void {
  let left = checkedRequests
  return function watchAddress(view) {
    if (left === 0) return
    left--
    const { address } = view
    // A request without an address is an error of `byIp`.
    if (address === undefined) return
    if (view.trustsEveryProxy) warn(requestError('SLUICE_PROXY_TRUSTED_BLINDLY'))
    const forwarded = view.headers['x-forwarded-for']
    if (forwarded === undefined || address !== view.peer) return
    // A proxy may forward a request of a client on its own machine.
    if (!forwarded.includes(address)) warn(requestError('SLUICE_PROXY_UNTRUSTED', address))
  }
}

/** Warns of a route that the adapter limits before the route's own hooks run. */
export function warnOfUnseenRoute(route: string, hook: string): void {
  warn(requestError('SLUICE_ROUTE_UNSEEN', route, hook))
}

/** Warns if a key function of the application returns a bare IPv6 address: each address of a client's network would have a limit of its own. */
export function watchKeys(): (part: unknown) => void {
  let left = checkedRequests
  return function watchKey(part) {
    if (left === 0) return
    left--
    // Parsing an address is slow, and most keys contain no colon.
    if (typeof part !== 'string' || !part.includes(':')) return
    if (addressOf(part) instanceof ipaddr.IPv6) warn(requestError('SLUICE_ADDRESS_UNMASKED', part))
  }
}

/** The checks that key functions need at the ends of requests. */
export const atEnds: WeakMap<RequestView<unknown>, () => Promise<void>> = new WeakMap()

/** A login is a request whose user is known at its end only, so that one of them is no sign. */
const lateUsers = 3

/**
 * Warns if users are known at the end of requests, but at the start of none. The function is called for each request that has a key: with the function that
 * finds its user at its end, or with undefined if its user is known.
 */
export function watchUsers(): (
  view: RequestView<unknown>,
  hasUser: (() => Promise<boolean>) | undefined,
) => void {
  let late = 0
  let left = checkedRequests
  return function watch(view, hasUser) {
    if (hasUser === undefined) left = 0
    if (hasUser === undefined || left === 0) return
    left--
    atEnds.set(view, async () => {
      if ((await hasUser()) && ++late === lateUsers && left > 0) {
        warn(requestError('SLUICE_USER_LATE', lateUsers))
      }
    })
  }
}

/** Calls a listener of the application. Its error becomes a process warning and fails no request. */
export async function listen<A extends readonly unknown[]>(
  listener: (...about: A) => unknown,
  ...about: A
): Promise<void> {
  try {
    await listener(...about)
  } catch (error) {
    warnOfFailure(error)
  }
}

/** Reports an error that cannot fail a request, because the response is sent or the function is only a listener. */
export function warnOfFailure(error: unknown): void {
  emitWarning(error instanceof Error ? error : new Error(textOf(error)))
}

function textOf(value: unknown): string {
  const util = withProcess((process) => process.getBuiltinModule?.('node:util'))
  return util?.inspect(value) ?? show(value)
}
