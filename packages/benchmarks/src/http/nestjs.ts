import type { RequestListener, Server } from 'node:http'
import {
  Controller,
  Get,
  HttpException,
  Injectable,
  type CanActivate,
  type DynamicModule,
  type ExecutionContext,
  type Provider,
} from '@nestjs/common'
import { APP_GUARD, NestFactory } from '@nestjs/core'
import type { NestExpressApplication } from '@nestjs/platform-express'
import type { Request, Response } from 'express'
import { Redis } from 'ioredis'
import { byHand } from './by-hand.js'
import { answer, contenderOf, unlimited, yardstick, type Contender } from './contender.js'

interface Limiting {
  readonly imports?: readonly DynamicModule[]
  readonly providers?: readonly Provider[]
}

const contender = contenderOf('NestJS', served)

export const nestjs: readonly Contender[] = [
  contender(unlimited, [], async () => ({})),
  contender(yardstick, ['memory'], async (setup) => {
    const count = byHand(setup)
    class Guard implements CanActivate {
      canActivate(context: ExecutionContext): boolean {
        const http = context.switchToHttp()
        const fields = count(http.getRequest<Request>().ip ?? '')
        if (fields === undefined) throw new HttpException('too many', 429)
        const response = http.getResponse<Response>()
        for (const [name, value] of fields) response.setHeader(name, value)
        return true
      }
    }
    Injectable()(Guard)
    return { providers: [{ provide: APP_GUARD, useClass: Guard }] }
  }),
  contender('Sluice', ['memory', 'redis'], async ({ limit, windowMs: window, redis }) => {
    const { memoryStore, RateLimitModule, redisStore } = await import('@sluice/nestjs')
    const store = redis === undefined ? memoryStore() : redisStore(new Redis(redis, '127.0.0.1'))
    return { imports: [RateLimitModule.forRoot({ limit, window, store })] }
  }),
  contender('@nestjs/throttler', ['memory', 'redis'], async ({ limit, windowMs: ttl, redis }) => {
    const { ThrottlerGuard, ThrottlerModule } = await import('@nestjs/throttler')
    const throttlers = [{ limit, ttl }]
    const providers = [{ provide: APP_GUARD, useClass: ThrottlerGuard }]
    if (redis === undefined)
      return { imports: [ThrottlerModule.forRoot({ throttlers })], providers }
    const { ThrottlerStorageRedisService } = await import('@nest-lab/throttler-storage-redis')
    const storage = new ThrottlerStorageRedisService(new Redis(redis, '127.0.0.1'))
    return { imports: [ThrottlerModule.forRoot({ throttlers, storage })], providers }
  }),
]

// The decorators are called as functions, because this project compiles standard decorators.
async function served({ imports = [], providers = [] }: Limiting): Promise<RequestListener> {
  class Root {
    hello(): typeof answer {
      return answer
    }
  }
  Controller()(Root)
  const descriptor = Object.getOwnPropertyDescriptor(Root.prototype, 'hello') ?? {}
  Get('/')(Root.prototype, 'hello', descriptor)
  // The class is both the module and its controller.
  const module = {
    module: Root,
    controllers: [Root],
    imports: [...imports],
    providers: [...providers],
  }
  const app = await NestFactory.create<NestExpressApplication>(module, { logger: false })
  app.set('trust proxy', 1)
  await app.init()
  return listenerOf(app.getHttpServer())
}

/** The listener of a server that does not listen. */
function listenerOf(server: Server): RequestListener {
  return (request, response) => {
    server.emit('request', request, response)
  }
}
