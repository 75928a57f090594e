import type { RequestView } from '@sluice/core/http'
import type { Request } from 'express'

/** The address and the route are looked up only if somebody asks: Express works them out anew each time. */
export function viewOf(request: Request): RequestView<Request> {
  const { method, headers } = request
  return {
    raw: request,
    method,
    headers,
    get address() {
      return request.ip
    },
    get route() {
      const route: unknown = request.route
      const known = typeof route === 'object' && route !== null && 'path' in route
      return known && typeof route.path === 'string' ? route.path : undefined
    },
  }
}
