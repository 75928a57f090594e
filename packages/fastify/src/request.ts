import { createView, trustProbe, type RequestView } from '@sluice/core/http'
import type { FastifyRequest } from 'fastify'

export const viewOf: (request: FastifyRequest) => RequestView<FastifyRequest> =
  createView<FastifyRequest>({
    node: ({ raw }) => raw,
    // The option `rewriteUrl` changes `url`.
    url: ({ originalUrl }) => originalUrl,
    address: ({ ip }) => ip,
    sent: ({ body, query, params }) => [body, query, params],
    route: ({ routeOptions }) => routeOptions.url,
    // Fastify does not expose its proxy setting: `initialConfig` does not contain it.
    trustsEveryProxy: (request) =>
      Reflect.get(request, 'ip', { raw: trustProbe }) === trustProbe.client,
  })
