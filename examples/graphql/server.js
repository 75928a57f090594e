// A GraphQL server that allows each client five operations in ten seconds, and two searches a minute. With REDIS_URL set, all processes that use that
// Redis count together; otherwise each process counts separately.
import { ApolloDriver } from '@nestjs/apollo'
import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { Args, GraphQLModule, Query, Resolver } from '@nestjs/graphql'
import { memoryStore, RateLimit, RateLimitModule, redisStore } from '@sluice/nestjs'
import { Redis } from 'ioredis'

const { PORT: port = '3000', REDIS_URL: redisUrl } = process.env

const redis = redisUrl === undefined ? undefined : new Redis(redisUrl)
redis?.on('error', (error) => console.error(`Redis: ${error.message}`))

const typeDefs = `
  type Query {
    hello: String!
    search(text: String!): [String!]
  }
`

// Plain JavaScript has no decorators yet, so this file applies them with functions. In TypeScript:
//
//   @Resolver()
//   class Items {
//     @Query('hello')
//     hello() { … }
//
//     @Query('search')
//     @RateLimit({ limit: 2, window: '1m' })
//     search(@Args('text') text: string) { … }
//   }
class Items {
  hello() {
    return 'Hello.'
  }

  search(text) {
    return ['apple', 'apricot', 'banana'].filter((item) => item.includes(text))
  }
}
decorate(Items, [Resolver()])
decorate(Items, [Query('hello')], 'hello')
decorate(Items, [Query('search'), RateLimit({ limit: 2, window: '1m' })], 'search')
Args('text')(Items.prototype, 'search', 0)

class AppModule {}
decorate(AppModule, [
  Module({
    imports: [
      GraphQLModule.forRoot({ driver: ApolloDriver, typeDefs, playground: false }),
      RateLimitModule.forRoot({
        limit: 5,
        window: '10s',
        store: redis === undefined ? memoryStore() : redisStore(redis),
      }),
    ],
    providers: [Items],
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

const url = `http://localhost:${port}/graphql`
const curl = `curl -i ${url} -H 'Content-Type: application/json' -d`
console.log(`Listening on ${url}, counting in ${redis === undefined ? 'memory' : 'Redis'}. Try:

  ${curl} '{"query": "{ hello }"}'
  ${curl} '{"query": "{ hello a: search(text: \\"ap\\") b: search(text: \\"ban\\") c: search(text: \\"na\\") }"}'

The third search of a minute is null, with an error whose code is RATE_LIMITED, and the other fields keep their results. The sixth operation of ten seconds is
denied as a whole.`)

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    void app.close()
    redis?.disconnect()
  })
}
