// A limiter over Redis, with the client that the environment names.
import process from 'node:process'
import { createLimiter, redisStore } from '@sluice/fetch'

const { CLIENT, LIMITER, REDIS_URL } = process.env

/** As the page about Redis says. */
const clients = {
  async ioredis() {
    const { Redis } = await import('ioredis')
    return new Redis(REDIS_URL, { retryStrategy: (times) => Math.min(times * 50, 500) })
  },
  async 'node-redis'() {
    const { createClient } = await import('redis')
    const reconnectStrategy = (retries) => Math.min(retries * 50, 500)
    return createClient({ url: REDIS_URL, socket: { reconnectStrategy } })
  },
  async bun() {
    const { RedisClient } = await import('bun')
    return new RedisClient(REDIS_URL)
  },
}

const client = await clients[CLIENT]()
if (CLIENT !== 'bun') client.on('error', () => {})
if (CLIENT === 'node-redis') await client.connect()

const limiter = createLimiter({
  name: LIMITER,
  limit: 25,
  window: '1h',
  store: redisStore(client, { timeout: '5s' }),
  onStoreError: 'deny',
})

export default {
  /** `/consume?key=…` and `/peek?key=…` answer with the decision. */
  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname === '/') return new Response('Ready.')
    const verb = pathname === '/consume' ? 'consume' : 'peek'
    const { allowed, source, remaining } = await limiter[verb](searchParams.get('key'))
    return Response.json({ allowed, source, remaining })
  },
}
