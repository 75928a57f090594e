import type { ExecutionContext } from '@nestjs/common'
import {
  createView,
  trustProbe,
  type Lookups,
  type NodeRequest,
  type NodeResponse,
  type ResponseHeaders,
  type RequestView,
} from '@sluice/core/http'
import { memberOf } from '@sluice/core/internal'
import type { NestRequest } from './options.js'

/**
 * A request with the properties that parsers add, and with those that only one platform has: `route` and `app` of Express, `routeOptions`, `raw` and `server` of Fastify.
 */
export interface PlatformRequest extends NestRequest, Pick<NodeRequest, 'socket'> {
  readonly originalUrl?: string
  readonly body?: unknown
  readonly query?: unknown
  readonly params?: unknown
  readonly cookies?: unknown
  readonly signedCookies?: unknown
  readonly route?: { readonly path?: unknown }
  readonly app?: {
    get(setting: 'trust proxy fn'): (address: string, hop: number) => boolean
    /** The prototype of requests. */
    readonly request: object
  }
  readonly routeOptions?: { readonly url?: string }
  readonly hostname?: string
  readonly raw?: { readonly url?: string }
  readonly server?: { readonly initialConfig: object }
}

/** A response with the methods for headers that both platforms have. */
export type PlatformResponse = (NodeResponse | { readonly raw: NodeResponse }) & Reply

export function requestOf(context: ExecutionContext): PlatformRequest {
  return context.switchToHttp().getRequest<PlatformRequest>()
}

export function responseOf(context: ExecutionContext): PlatformResponse {
  return context.switchToHttp().getResponse<PlatformResponse>()
}

/** Node's own response, which the response of Fastify wraps and that of Express extends. */
export function nodeOf(response: PlatformResponse): NodeResponse {
  return 'raw' in response ? response.raw : response
}

/** How the request of a platform is read, or that of a WebSocket's upgrade, which is Node's own. */
export const lookups: Lookups<PlatformRequest> = {
  node: (request) => request,
  url: ({ originalUrl, url }) => originalUrl ?? url,
  routedUrl: ({ raw }) => raw?.url,
  semicolonEndsPath,
  params: ({ params }) => params,
  host: ({ hostname }) => hostname,
  address: (request) => ('ip' in request ? request.ip : addressOfUpgrade(request)),
  sent: ({ body, query, params, cookies, signedCookies }) => [
    body,
    query,
    params,
    cookies,
    signedCookies,
  ],
  route({ routeOptions, route }) {
    const pattern = routeOptions === undefined ? route?.path : routeOptions.url
    return typeof pattern === 'string' ? pattern : undefined
  },
  // An application that trusts an unused address at any distance trusts every proxy. Fastify does not expose its proxy setting.
  trustsEveryProxy(request) {
    if (request.app === undefined)
      return Reflect.get(request, 'ip', { raw: trustProbe }) === trustProbe.client
    return request.app.get('trust proxy fn')(trustProbe.client, Number.MAX_SAFE_INTEGER)
  },
}

export const viewOf: (request: PlatformRequest) => RequestView<PlatformRequest> =
  createView(lookups)

function addressOfUpgrade(request: PlatformRequest): string | undefined {
  const peer = request.socket?.remoteAddress
  if (request.app === undefined || peer === undefined) return peer
  const address: unknown = Reflect.get(request.app.request, 'ip', request)
  return typeof address === 'string' ? address : undefined
}

/** The option of Fastify, which can be one of the router or, in earlier versions, one of the server. */
function semicolonEndsPath({ server }: PlatformRequest): boolean {
  const config = server?.initialConfig
  const places = [config, memberOf(config, 'routerOptions')]
  return places.some((options) => memberOf(options, 'useSemicolonDelimiter') === true)
}

/** A response that sets headers by `header`: Fastify's reply, and the responses of Express. */
export interface Reply extends Pick<ResponseHeaders, 'getHeader' | 'removeHeader'> {
  header(name: string, value: string): unknown
}

/** Adapts a reply to the methods that `writeFields` needs. */
export function headersOfReply(reply: Reply): ResponseHeaders {
  return {
    getHeader: (name) => reply.getHeader(name),
    setHeader: (name, value) => reply.header(name, value),
    removeHeader: (name) => reply.removeHeader(name),
  }
}
