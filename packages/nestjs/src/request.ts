import type { NodeResponse, RequestView } from '@sluice/core/http'
import type { NestRequest } from './options.js'

/** What only one of the platforms has is optional. */
export interface PlatformRequest extends NestRequest {
  readonly socket: { readonly remoteAddress?: string | undefined }
  /** Express: the pattern, to which Nest adds nothing by mounting. */
  readonly route?: { readonly path?: unknown }
  readonly app?: { get(setting: 'trust proxy fn'): (address: string, hop: number) => boolean }
  /** Fastify. */
  readonly routeOptions?: { readonly url?: string }
}

/** The call that both platforms have for writing a header. */
export type PlatformResponse = (NodeResponse | { readonly raw: NodeResponse }) & {
  header(name: string, value: string): unknown
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
    if (routeOptions !== undefined) return routeOptions.url
    return typeof route?.path === 'string' ? route.path : undefined
  }

  // Whoever believes an address that nobody has, however far away, believes all of them.
  get trustsEveryProxy(): boolean {
    const { app } = this.raw
    if (app === undefined) return believes(this.raw)
    return app.get('trust proxy fn')(nobody, Number.MAX_SAFE_INTEGER)
  }
}

const nobody = '192.0.2.0'

/** Fastify keeps what it trusts to itself, but tells it by the address that it finds: here at the far end of a hundred proxies. */
function believes(request: PlatformRequest): boolean {
  const headers = { 'x-forwarded-for': `${nobody}${', 192.0.2.1'.repeat(99)}` }
  const raw = { headers, socket: request.socket }
  return Reflect.get(request, 'ip', { raw }) === nobody
}
