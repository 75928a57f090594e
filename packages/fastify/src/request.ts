import type { RequestView } from '@sluice/core/http'
import type { FastifyRequest } from 'fastify'

/** Answers by getters on a prototype: Fastify works addresses and routes out anew each time, so that they are looked up only if somebody asks. */
export class FastifyView implements RequestView<FastifyRequest> {
  readonly raw: FastifyRequest

  constructor(request: FastifyRequest) {
    this.raw = request
  }

  get address(): string | undefined {
    return this.raw.ip
  }

  get peer(): string | undefined {
    return this.raw.raw.socket.remoteAddress
  }

  get method(): string {
    return this.raw.method
  }

  get headers(): RequestView<FastifyRequest>['headers'] {
    return this.raw.headers
  }

  get route(): string | undefined {
    return this.raw.routeOptions.url
  }

  // Fastify keeps what it trusts to itself (`initialConfig` leaves it out), but it can be asked about a request that nobody sent: whoever
  // believes an address that nobody has, however many stand in front of it, believes all of them.
  get trustsEveryProxy(): boolean {
    const believed: unknown = Reflect.get(this.raw, 'ips', { raw: unsent })
    return Array.isArray(believed) && believed.length > hops
  }
}

const hops = 100
const nobody = '192.0.2.0'

const unsent = {
  headers: { 'x-forwarded-for': Array.from({ length: hops }, () => nobody).join(', ') },
  socket: { remoteAddress: nobody },
}
