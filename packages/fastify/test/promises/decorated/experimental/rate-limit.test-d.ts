// Checked by npm run check:types, with `experimentalDecorators` and with standard decorators.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { RateLimit, rateLimit } from '../../../../src/index.js'

const once = RateLimit({ limit: 1, window: '1m' })

export class Reports {
  @RateLimit({ limit: 1, window: '1m', key: (request) => request.url })
  read(request: FastifyRequest<{ Params: { id: string } }>, reply: FastifyReply): void {
    reply.send(request.params.id)
  }

  @once
  async create(): Promise<void> {}

  // @ts-expect-error: not a handler
  @once
  count(id: number): number {
    return id
  }

  // @ts-expect-error: a plugin is not a decorator
  @rateLimit
  remove(): void {}
}
