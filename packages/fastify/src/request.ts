import { createView, unsent, type RequestView } from '@sluice/core/http'
import type { FastifyRequest } from 'fastify'

export const viewOf: (request: FastifyRequest) => RequestView<FastifyRequest> =
  createView<FastifyRequest>({
    node: ({ raw }) => raw,
    address: ({ ip }) => ip,
    sent: ({ body, query, params }) => [body, query, params],
    route: ({ routeOptions }) => routeOptions.url,
    // What Fastify trusts it keeps to itself: `initialConfig` leaves it out.
    trustsEveryProxy: (request) => Reflect.get(request, 'ip', { raw: unsent }) === unsent.far,
  })
