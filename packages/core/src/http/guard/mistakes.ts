import { emitWarning } from 'node:process'
import { inspect } from 'node:util'
import ipaddr from 'ipaddr.js'
import { sluiceError } from '../../errors.js'
import { tell } from '../../warnings.js'
import { addressOf } from '../lists/address.js'
import type { RequestView } from '../request/request-view.js'

/** Mistakes show early. After so many requests nobody looks for them any more, so that looking costs nothing. */
const lookedAt = 1000

/** Looks for one limiter that counts a request twice, and for one that is made for each request. */
export function watchRequests(limiter: string, madeAhead: boolean): (request: unknown) => void {
  const seen = new WeakSet<object>()
  let left = lookedAt
  // Requests arrive in later turns of the event loop than the one in which an application is put together.
  let fresh = !madeAhead
  if (fresh) setImmediate(() => (fresh = false)).unref()

  return function watch(request) {
    if (left === 0) return
    left--
    if (fresh) tell(sluiceError('SLUICE_MADE_IN_HANDLER', limiter))
    if (typeof request !== 'object' || request === null) return
    if (seen.has(request)) tell(sluiceError('SLUICE_COUNTED_TWICE', limiter))
    seen.add(request)
  }
}

/** Looks for addresses that are not the client's, or that the client makes up. */
export function watchAddresses(): (view: RequestView<unknown>) => void {
  let left = lookedAt

  return function watch(view) {
    if (left === 0) return
    left--
    // Not before: to read them is work.
    const { address, peer, headers, trustsEveryProxy } = view
    if (trustsEveryProxy) tell(sluiceError('SLUICE_PROXY_TRUSTED_BLINDLY'))
    const forwarded = headers['x-forwarded-for']
    if (forwarded === undefined || address === undefined || address !== peer) return
    // A proxy on the same machine may forward for a client there.
    if (!forwarded.includes(address)) tell(sluiceError('SLUICE_PROXY_UNTRUSTED', address))
  }
}

let unseenRoute = false

/** A route that the adapter limits before the route's own hooks have run. The error is made once, not for each request. */
export function warnOfUnseenRoute(route: string, hook: string): void {
  if (unseenRoute) return
  unseenRoute = true
  tell(sluiceError('SLUICE_ROUTE_UNSEEN', route, hook))
}

/** Looks for keys of an application's own functions that are IPv6 addresses as they stand: each address of a network would be a new limit. */
export function watchKeys(): (part: unknown) => void {
  let left = lookedAt

  return function watch(part) {
    if (left === 0) return
    left--
    // Before anything else: most keys have no colon, and to read an address is work.
    if (typeof part !== 'string' || !part.includes(':')) return
    if (addressOf(part) instanceof ipaddr.IPv6) {
      tell(sluiceError('SLUICE_ADDRESS_UNMASKED', part))
    }
  }
}

/** An application's function that failed when nobody was left to answer. */
export function tellOfFailure(error: unknown): void {
  emitWarning(error instanceof Error ? error : new Error(inspect(error)))
}
