// A NestJS server that allows each client five requests in ten seconds and three failed logins a minute. With REDIS_URL set, all processes
// that use that Redis count together; otherwise each process counts separately.
import { Controller, Get, Module, Post, UnauthorizedException } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import {
  memoryStore,
  RateLimit,
  RateLimitDecision,
  RateLimitModule,
  redisStore,
} from '@sluice/nestjs'
import { Redis } from 'ioredis'

const { PORT: port = '3000', REDIS_URL: redisUrl } = process.env

const redis = redisUrl === undefined ? undefined : new Redis(redisUrl)
redis?.on('error', (error) => console.error(`Redis: ${error.message}`))

// Plain JavaScript has no decorators yet, so this file applies them with functions. In TypeScript:
//
//   @Controller()
//   class AppController {
//     @Get()
//     hello(@RateLimitDecision() decision: Decision) { … }
//
//     @Post('login')
//     @RateLimit({ limit: 3, window: '1m', count: 'failures' })
//     logIn() { … }
//   }
class AppController {
  hello({ remaining, limit }) {
    return `Hello. You have ${remaining} of ${limit} requests left.\n`
  }

  logIn() {
    throw new UnauthorizedException('Nobody has that password.')
  }
}
decorate(AppController, [Controller()])
decorate(AppController, [Get()], 'hello')
RateLimitDecision()(AppController.prototype, 'hello', 0)
decorate(
  AppController,
  [Post('login'), RateLimit({ limit: 3, window: '1m', count: 'failures' })],
  'logIn',
)

class AppModule {}
decorate(AppModule, [
  Module({
    imports: [
      RateLimitModule.forRoot({
        limit: 5,
        window: '10s',
        store: redis === undefined ? memoryStore() : redisStore(redis),
      }),
    ],
    controllers: [AppController],
  }),
])

/** Applies decorators to a class or to one of its methods. */
function decorate(type, decorators, method) {
  if (method === undefined) return Reflect.decorate(decorators, type)
  const descriptor = Object.getOwnPropertyDescriptor(type.prototype, method)
  return Reflect.decorate(decorators, type.prototype, method, descriptor)
}

const app = await NestFactory.create(AppModule, { logger: ['warn', 'error'] })
await app.listen(port)

const url = `http://localhost:${port}/`
console.log(`Listening on ${url}, counting in ${redis === undefined ? 'memory' : 'Redis'}. Try:

  curl -i ${url}
  for i in 1 2 3 4 5 6; do curl -s -o /dev/null -w '%{http_code}\\n' ${url}; done
  curl -i -H 'Accept: text/plain' ${url}
  for i in 1 2 3 4; do curl -i -X POST ${url}login; done

The first five requests get a 200, the sixth a 429, with the wait in its headers. Logins are counted separately.`)

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    void app.close()
    redis?.disconnect()
  })
}
