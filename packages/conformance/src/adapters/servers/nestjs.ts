import {
  All,
  Controller,
  HttpException,
  Module,
  Req,
  Res,
  type ArgumentsHost,
} from '@nestjs/common'
import { BaseExceptionFilter, NestFactory, type AbstractHttpAdapter } from '@nestjs/core'
import core from '@nestjs/core/package.json' with { type: 'json' }
import {
  RateLimit,
  RateLimiters,
  RateLimitModule,
  RequestException,
  type NestRequest,
  type OnDenied,
} from '@sluice/nestjs'
import { after } from '../after.js'
import {
  valueIn,
  valueOf,
  limiterName,
  optionsOf,
  type Adapter,
  type Answer,
  type App,
  type Authenticated,
  type Denier,
  type Readers,
  type Served,
} from '../adapter.js'
import { portOf } from './listening.js'
import { onExpress, onFastify, type Platform } from './nestjs-platforms.js'

const version = core.version.split('.')[0]

/** The adapters for the version of NestJS to which `@nestjs/*` resolves in this run. */
export const nestjs: readonly Adapter[] = [
  adapter(`NestJS ${version} on Express`, onExpress),
  adapter(`NestJS ${version} on Fastify`, onFastify),
]

function adapter<Q extends NestRequest, S>(name: string, platform: Platform<Q, S>): Adapter {
  return {
    name,
    protocol: 'HTTP/1.1',
    followsPromises: true,
    writesResponse: true,
    answersWrongRequests: false,
    serve: async (app) => served(app, platform),
  }
}

async function served<Q extends NestRequest, S>(
  app: App,
  platform: Platform<Q, S>,
): Promise<Served> {
  const http = platform.create(app)
  const options = optionsOf(app.options, readers, onDenied)
  const visited = async (request: Q, response: S): Promise<unknown> =>
    platform.visited(app, request, response, () =>
      application.get(RateLimiters).keyOf(request, limiterName(options)),
    )
  const application = await NestFactory.create(moduleOf(app, options, visited), http, {
    logger: false,
    abortOnError: false,
    forceCloseConnections: true,
  })
  if (app.handling === 'application') {
    application.useGlobalFilters(new ErrorFilter(app, platform, http))
  }
  await application.listen(0, '127.0.0.1')
  const server: Parameters<typeof portOf>[0] = application.getHttpServer()
  return {
    port: portOf(server),
    limiter: () => application.get(RateLimiters).of(limiterName(options)),
    close: async () => application.close(),
  }
}

// Calls the decorators by hand, because the compiler supports the standard decorators only.
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the methods of the class have these types too
function moduleOf<Q extends NestRequest, S>(
  app: App,
  options: ReturnType<typeof optionsOf<NestRequest, OnDenied>>,
  visited: (request: Q, response: S) => Promise<unknown>,
): new () => object {
  class Visits {
    async item(request: Q, response: S): Promise<void> {
      await visited(request, response)
    }

    async root(request: Q, response: S): Promise<void> {
      await visited(request, response)
    }
  }
  Controller()(Visits)
  for (const [name, path] of [
    ['item', '/items/:id'],
    ['root', '/'],
  ] as const) {
    const descriptor = Object.getOwnPropertyDescriptor(Visits.prototype, name) ?? {}
    All(path)(Visits.prototype, name, descriptor)
    Req()(Visits.prototype, name, 0)
    Res()(Visits.prototype, name, 1)
    // The options of a method replace those of the module.
    if (app.second !== undefined) {
      const second = optionsOf(app.second, readers, onDenied)
      RateLimit([options, second])(Visits.prototype, name, descriptor)
    } else if (app.place === 'route' && name === 'item') {
      RateLimit(options)(Visits.prototype, name, descriptor)
    }
  }

  class AppModule {}
  Module({
    controllers: [Visits],
    imports: app.place === 'app' ? [RateLimitModule.forRoot(options)] : [],
    providers: [RateLimiters],
  })(AppModule)
  return AppModule
}

const readers: Readers<NestRequest> = {
  header: (request, name) => valueOf(request.headers[name]),
  query: (request, name) => valueIn(Reflect.get(request, 'query'), name),
  user: (request) => (request as NestRequest & Authenticated).user,
}

function onDenied(deny: Denier): OnDenied {
  return (_context, decision) =>
    after(deny(decision), (answer) => {
      if (answer === undefined) return true
      throw new Answered(answer)
    })
}

/** The exception by which a guard answers. The application's filter knows it. */
class Answered extends Error {
  readonly answer: Answer

  constructor(answer: Answer) {
    super('answered')
    this.answer = answer
  }
}

class ErrorFilter<Q, S> extends BaseExceptionFilter {
  readonly #app: App
  readonly #platform: Platform<Q, S>

  constructor(app: App, platform: Platform<Q, S>, http: AbstractHttpAdapter) {
    super(http)
    this.#app = app
    this.#platform = platform
  }

  override catch(error: unknown, host: ArgumentsHost): void {
    // This includes denials, which Nest's own filter answers.
    const isDenial = error instanceof HttpException && !(error instanceof RequestException)
    if (isDenial) return super.catch(error, host)
    const response = host.switchToHttp().getResponse<S>()
    if (error instanceof Answered) return this.#platform.send(response, error.answer)
    const cause = error instanceof RequestException ? error.cause : error
    return this.#platform.send(response, this.#app.failed(cause))
  }
}
