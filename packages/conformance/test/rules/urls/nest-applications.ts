import type { RequestListener } from 'node:http'
import { Controller, Get, Req } from '@nestjs/common'
import { NestFactory, type AbstractHttpAdapter } from '@nestjs/core'
import core from '@nestjs/core/package.json' with { type: 'json' }
import { ExpressAdapter } from '@nestjs/platform-express'
import { FastifyAdapter } from '@nestjs/platform-fastify'
import type { Rules } from '@sluice/core/http'
import { RateLimitModule } from '@sluice/nestjs'
import type { Application } from './applications.js'
import { routes, type Ran } from './routes.js'

const [version] = core.version.split('.')
// NestJS 10 has Express 4.
const star = version === '10' ? '*' : '*rest'

/** With NestJS 11, or with NestJS 10 in the vitest project "nest10". */
export const nestApplications: readonly Application[] = [
  ofNest('Express', () => new ExpressAdapter(), star),
  ofNest('Fastify', () => new FastifyAdapter(), '*'),
  ofNest(
    'Fastify with options',
    () =>
      new FastifyAdapter({
        caseSensitive: false,
        ignoreTrailingSlash: true,
        ignoreDuplicateSlashes: true,
        useSemicolonDelimiter: true,
      }),
    '*',
  ),
]

/** The request of both platforms. */
interface NestRequest {
  readonly params: object
  readonly query: object
  readonly hostname: string
}

function ofNest(
  platform: string,
  create: () => AbstractHttpAdapter,
  wildcard: string,
): Application {
  async function start(rules: Rules<unknown>, ran: (what: Ran) => void): Promise<RequestListener> {
    const module = {
      module: controllerOf(wildcard, ran),
      imports: [RateLimitModule.forRoot({ rules })],
    }
    const app = await NestFactory.create({ ...module, controllers: [module.module] }, create(), {
      logger: false,
      abortOnError: false,
    })
    await app.init()
    const instance: unknown = app.getHttpAdapter().getInstance()
    if (instance instanceof Object && 'ready' in instance && typeof instance.ready === 'function') {
      await instance.ready()
    }
    return (request, response) => void app.getHttpServer().emit('request', request, response)
  }
  return { name: `NestJS ${version} on ${platform}`, knowsParams: true, rewrites: false, start }
}

// Applies decorators by hand, because the tests are compiled with standard decorators and Nest's are experimental.
function controllerOf(wildcard: string, ran: (what: Ran) => void): new () => object {
  // oxlint-disable-next-line typescript/no-extraneous-class -- its methods are added below
  class Routes {}
  Controller()(Routes)
  for (const [id, path] of Object.entries(routes)) {
    const descriptor = {
      value({ params, query, hostname }: NestRequest) {
        const [param, parameter]: unknown[] = [params, query].map((values) =>
          Reflect.get(values, 'id'),
        )
        ran({ id, param, query: parameter, host: hostname })
        return 'served'
      },
      configurable: true,
    }
    Object.defineProperty(Routes.prototype, id, descriptor)
    Get(path.replace('**', wildcard))(Routes.prototype, id, descriptor)
    Req()(Routes.prototype, id, 0)
  }
  return Routes
}
