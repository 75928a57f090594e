import { createView, type RequestView } from '@sluice/core/http'
import type { Request } from 'express'

export const viewOf: (request: Request) => RequestView<Request> = createView<Request>({
  node: (request) => request,
  address: ({ ip }) => ip,
  sent({ body, query, params, cookies, signedCookies }): readonly unknown[] {
    return [body, query, params, cookies, signedCookies]
  },

  // With the paths that routers are mounted on; of a mount path with parameters, Express tells their values only.
  route({ route, baseUrl }: { readonly route?: unknown; readonly baseUrl: string }) {
    const known = typeof route === 'object' && route !== null && 'path' in route
    return known && typeof route.path === 'string' ? baseUrl + route.path : undefined
  },

  // Whoever believes an address that nobody has, however far away, believes all of them.
  trustsEveryProxy({ app }) {
    const trusts: unknown = app.get('trust proxy fn')
    return isTrust(trusts) && trusts('192.0.2.0', Number.MAX_SAFE_INTEGER)
  },
})

function isTrust(value: unknown): value is (address: string, hop: number) => boolean {
  return typeof value === 'function'
}
