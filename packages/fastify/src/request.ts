import { createView, trustProbe, type RequestView } from '@sluice/core/http'
import type { FastifyRequest } from 'fastify'

export const viewOf: (request: unknown) => RequestView<FastifyRequest> = createView<FastifyRequest>(
  {
    node: ({ raw }) => raw,
    // The option `rewriteUrl` changes `url`.
    url: ({ originalUrl }) => originalUrl,
    routedUrl: ({ raw }) => raw.url,
    semicolonEndsPath,
    params: ({ params }) => params,
    host: ({ hostname }) => hostname,
    address: ({ ip }) => ip,
    sent: ({ body, query, params }) => [body, query, params],
    route: ({ routeOptions }) => routeOptions.url,
    // Fastify does not expose its proxy setting: `initialConfig` does not contain it.
    trustsEveryProxy: (request) =>
      Reflect.get(request, 'ip', { raw: trustProbe }) === trustProbe.client,
  },
)

/** The option can be one of the router or, in earlier versions, one of the server. */
function semicolonEndsPath({ server }: FastifyRequest): boolean {
  const { useSemicolonDelimiter, routerOptions = {} } = server.initialConfig
  return (
    useSemicolonDelimiter === true || Reflect.get(routerOptions, 'useSemicolonDelimiter') === true
  )
}
