import { createView, trustProbe, type RequestView } from '@sluice/core/http'
import type { Request } from 'express'

export const viewOf: (request: unknown) => RequestView<Request> = createView<Request>({
  node: (request) => request,
  member: 'app',
  url: ({ originalUrl }) => originalUrl,
  semicolonEndsPath: () => false,
  params: ({ params }) => params,
  host: ({ hostname }) => hostname,
  address: ({ ip }) => ip,
  sent({ body, query, params, cookies, signedCookies }): readonly unknown[] {
    return [body, query, params, cookies, signedCookies]
  },

  // `baseUrl` is the path of the mounted routers. For a mount path with parameters, Express exposes their values only, and both as the client spells them: a
  // client could have a new route with each spelling.
  route({ route, baseUrl }: { readonly route?: unknown; readonly baseUrl: string }) {
    const known = typeof route === 'object' && route !== null && 'path' in route
    return known ? folded(baseUrl) + textOf(route.path) : undefined
  },

  // An application that trusts an unused address at any distance trusts every proxy.
  trustsEveryProxy({ app }) {
    const trusts: unknown = app.get('trust proxy fn')
    const probe = [trustProbe.client, Number.MAX_SAFE_INTEGER]
    return typeof trusts === 'function' && Boolean(Reflect.apply(trusts, undefined, probe))
  },
})

/** The text of a path, which can be a regular expression or a list: Express does not tell which member has matched. */
function textOf(path: unknown): string {
  return Array.isArray(path) ? path.map(textOf).join(', ') : String(path)
}

/** Letter case distinguishes paths in some routers only, and parameters are decoded. */
function folded(path: string): string {
  try {
    return decodeURIComponent(path).toLowerCase()
  } catch {
    return path.toLowerCase()
  }
}
