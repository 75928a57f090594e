import type { RequestListener } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { Redis } from 'ioredis'
import { byHand } from './by-hand.js'
import { answer, contenderOf, unlimited, yardstick, type Contender } from './contender.js'

async function served(limit: (app: FastifyInstance) => Promise<void>): Promise<RequestListener> {
  const { fastify } = await import('fastify')
  const app = fastify({ trustProxy: '127.0.0.1' })
  await limit(app)
  app.get('/', async () => answer)
  await app.ready()
  return (request, response) => {
    app.routing(request, response)
  }
}

const contender = contenderOf('Fastify', served)

export const fastify: readonly Contender[] = [
  contender(unlimited, [], async () => async () => {}),
  contender(yardstick, ['memory'], async (setup) => async (app) => {
    const count = byHand(setup)
    app.addHook('onRequest', (request, reply, done) => {
      const fields = count(request.ip)
      if (fields === undefined) {
        void reply.code(429).send()
        return
      }
      for (const [name, value] of fields) reply.header(name, value)
      done()
    })
  }),
  contender('Sluice', ['memory', 'redis'], async (setup) => async (app) => {
    const { limit, windowMs: window, redis } = setup
    const { memoryStore, rateLimit, redisStore } = await import('@sluice/fastify')
    const store = redis === undefined ? memoryStore() : redisStore(new Redis(redis, '127.0.0.1'))
    await app.register(rateLimit, { limit, window, store })
  }),
  contender('@fastify/rate-limit', ['memory', 'redis'], async (setup) => async (app) => {
    const { default: rateLimit } = await import('@fastify/rate-limit')
    const { limit: max, windowMs: timeWindow, redis } = setup
    const where = redis === undefined ? {} : { redis: new Redis(redis, '127.0.0.1') }
    await app.register(rateLimit, { max, timeWindow, ...where })
  }),
]
