import { sluiceError } from '../../errors.js'
import { codedParts } from './coded-parts.js'
import type { RequestView } from '../request/request-view.js'

/**
 * Uses the route as the key: its method and its pattern, so that `/items/1` and `/items/2` count together. HEAD counts as GET.
 *
 * @example
 * rateLimit({ limit: 10, window: '1m', key: [byIp(), byRoute()] })
 * @throws SluiceError SLUICE_ROUTE_MISSING if the limiter runs before a route has matched
 */
export function byRoute(): (request: unknown, view: RequestView<unknown>) => readonly string[] {
  return function keyByRoute(_request, { method, route }) {
    if (route === undefined || route === '') throw sluiceError('SLUICE_ROUTE_MISSING')
    return codedParts('route', method === 'HEAD' ? 'GET' : method, route)
  }
}
