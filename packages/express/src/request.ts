import type { RequestView } from '@sluice/core/http'
import type { Request } from 'express'

/** Answers by getters on a prototype: Express works its addresses out anew each time, so that they are looked up only if somebody asks. */
export class ExpressView implements RequestView<Request> {
  readonly raw: Request

  constructor(request: Request) {
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

  get headers(): RequestView<Request>['headers'] {
    return this.raw.headers
  }

  /** With the paths that routers are mounted on; of a mount path with parameters, Express tells their values only. */
  get route(): string | undefined {
    const route: unknown = this.raw.route
    const known = typeof route === 'object' && route !== null && 'path' in route
    return known && typeof route.path === 'string' ? this.raw.baseUrl + route.path : undefined
  }

  get trustsEveryProxy(): boolean {
    const trusts: unknown = this.raw.app.get('trust proxy fn')
    // Whoever believes an address that nobody has, however far away, believes all of them.
    return isTrust(trusts) && trusts('192.0.2.0', Number.MAX_SAFE_INTEGER)
  }
}

function isTrust(value: unknown): value is (address: string, hop: number) => boolean {
  return typeof value === 'function'
}
