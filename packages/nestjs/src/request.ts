import type { ExecutionContext } from '@nestjs/common'
import {
  createView,
  unsent,
  type NodeResponse,
  type RequestView,
  type ResponseHeaders,
} from '@sluice/core/http'
import type { NestRequest } from './options.js'

/**
 * With what the platform or a plugin of it has parsed, and what only one of the platforms has: Express its `route` and `app`, Fastify its
 * `routeOptions`.
 */
export interface PlatformRequest extends NestRequest {
  readonly body?: unknown
  readonly query?: unknown
  readonly params?: unknown
  readonly cookies?: unknown
  readonly signedCookies?: unknown
  readonly route?: { readonly path?: unknown }
  readonly app?: { get(setting: 'trust proxy fn'): (address: string, hop: number) => boolean }
  readonly routeOptions?: { readonly url?: string }
}

/** With the calls that both platforms have for reading and writing a header. */
export type PlatformResponse = (NodeResponse | { readonly raw: NodeResponse }) & {
  header(name: string, value: string): unknown
} & Pick<ResponseHeaders, 'getHeader' | 'removeHeader'>

export function requestOf(context: ExecutionContext): PlatformRequest {
  return context.switchToHttp().getRequest<PlatformRequest>()
}

export function responseOf(context: ExecutionContext): PlatformResponse {
  return context.switchToHttp().getResponse<PlatformResponse>()
}

/** Node's own response, which lies under that of the platform. */
export function nodeOf(response: PlatformResponse): NodeResponse {
  return 'raw' in response ? response.raw : response
}

export function headersOf(response: PlatformResponse): ResponseHeaders {
  return {
    getHeader: (name) => response.getHeader(name),
    setHeader: (name, value) => response.header(name, value),
    removeHeader: (name) => response.removeHeader(name),
  }
}

export const viewOf: (request: PlatformRequest) => RequestView<PlatformRequest> =
  createView<PlatformRequest>({
    node: (request) => request,
    address: ({ ip }) => ip,
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
    // Whether it believes an address that nobody has, however far away. Fastify tells only which address it finds at the end of all.
    trustsEveryProxy(request) {
      if (request.app === undefined)
        return Reflect.get(request, 'ip', { raw: unsent }) === unsent.far
      return request.app.get('trust proxy fn')(unsent.far, Number.MAX_SAFE_INTEGER)
    },
  })
