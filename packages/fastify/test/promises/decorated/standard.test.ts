import type { FastifyReply, FastifyRequest } from 'fastify'
import { RateLimit } from '../../../src/index.js'
import { times } from '../../apps.js'
import { describeDecorated, type Reports } from './suite.js'

const once = times(1)

/** Each call makes a new class with new limiters. */
function reportsOf(): Reports {
  class ReportsByCompiler {
    readonly tenant: string = 'acme'

    readonly reached: string[] = []

    @RateLimit({ ...once, key: (request) => request.url })
    read(request: FastifyRequest<{ Params: { id: string } }>) {
      this.reached.push(request.url)
      return `${this.tenant} reads ${request.params.id}, ${request.rateLimit?.remaining} left`
    }

    @RateLimit(once)
    async create() {
      throw new Error('create is broken')
    }

    @RateLimit(once)
    remove(_request: FastifyRequest, _reply: FastifyReply) {
      throw new Error('remove is broken')
    }

    @RateLimit(once)
    later(_request: FastifyRequest, reply: FastifyReply) {
      setTimeout(() => void reply.send('later'), 1)
    }

    @RateLimit(once)
    none() {
      return null
    }
  }
  return new ReportsByCompiler()
}

describeDecorated(reportsOf)
