import type { RequestView } from '@sluice/core/http'
import type { Context } from 'koa'

/** Answers by getters on a prototype: nothing is looked up that nobody asks for. */
export class KoaView implements RequestView<Context> {
  readonly raw: Context

  constructor(context: Context) {
    this.raw = context
  }

  get address(): string | undefined {
    return this.raw.ip
  }

  get peer(): string | undefined {
    return this.raw.req.socket.remoteAddress
  }

  get method(): string {
    return this.raw.method
  }

  get headers(): RequestView<Context>['headers'] {
    return this.raw.headers
  }

  /** Koa has no routes; those of @koa/router leave their whole pattern here. */
  get route(): string | undefined {
    const route: unknown = this.raw['_matchedRoute']
    return typeof route === 'string' ? route : undefined
  }

  /** Without a count of proxies, Koa takes the first address of the list: the one that the client wrote. */
  get trustsEveryProxy(): boolean {
    const { proxy, maxIpsCount } = this.raw.app
    return proxy && !(maxIpsCount > 0)
  }
}
