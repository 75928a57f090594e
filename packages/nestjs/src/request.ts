import type { ExecutionContext } from '@nestjs/common'
import type { NodeResponse, RequestView } from '@sluice/core/http'
import type { NestRequest } from './options.js'

/** With what only one of the platforms has: Express its `route` and `app`, Fastify its `routeOptions`. */
export interface PlatformRequest extends NestRequest {
  readonly socket: { readonly remoteAddress?: string | undefined }
  readonly route?: { readonly path?: unknown }
  readonly app?: { get(setting: 'trust proxy fn'): (address: string, hop: number) => boolean }
  readonly routeOptions?: { readonly url?: string }
}

/** With the call that both platforms have for writing a header. */
export type PlatformResponse = (NodeResponse | { readonly raw: NodeResponse }) & {
  header(name: string, value: string): unknown
}

export function requestOf(context: ExecutionContext): PlatformRequest {
  return context.switchToHttp().getRequest<PlatformRequest>()
}

export function responseOf(context: ExecutionContext): PlatformResponse {
  return context.switchToHttp().getResponse<PlatformResponse>()
}

export function nodeResponseOf(response: PlatformResponse): NodeResponse {
  return 'raw' in response ? response.raw : response
}

/** Answers by getters on a prototype: both platforms work addresses out anew each time, so that they are looked up only if somebody asks. */
export class PlatformView implements RequestView<NestRequest> {
  readonly raw: PlatformRequest

  constructor(request: PlatformRequest) {
    this.raw = request
  }

  get address(): string | undefined {
    return this.raw.ip
  }

  get peer(): string | undefined {
    return this.raw.socket.remoteAddress
  }

  get method(): string {
    return this.raw.method
  }

  get headers(): RequestView<NestRequest>['headers'] {
    return this.raw.headers
  }

  get route(): string | undefined {
    const { routeOptions, route } = this.raw
    const pattern = routeOptions === undefined ? route?.path : routeOptions.url
    return typeof pattern === 'string' ? pattern : undefined
  }

  /** Whether it believes an address that nobody has, however far away. Fastify tells only which address it finds at the end of all. */
  get trustsEveryProxy(): boolean {
    const { app, socket } = this.raw
    if (app !== undefined) return app.get('trust proxy fn')(nobody, Number.MAX_SAFE_INTEGER)
    const headers = { 'x-forwarded-for': nobody + `, ${proxy}`.repeat(99) }
    return Reflect.get(this.raw, 'ip', { raw: { headers, socket } }) === nobody
  }
}

// RFC 5737: for documentation.
const nobody = '192.0.2.0'
const proxy = '192.0.2.1'
