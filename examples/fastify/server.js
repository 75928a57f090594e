// A Fastify server that lets each client through five times in ten seconds, and twice to what is expensive. With REDIS_URL set, all
// processes that use that Redis count together; otherwise each counts for itself.
import { memoryStore, rateLimit, redisStore } from '@sluice/fastify'
import fastify from 'fastify'
import { Redis } from 'ioredis'

const { PORT: port = '3000', REDIS_URL: redisUrl } = process.env

const redis = redisUrl === undefined ? undefined : new Redis(redisUrl)
redis?.on('error', (error) => console.error(`Redis: ${error.message}`))

const app = fastify()

await app.register(rateLimit, {
  limit: 5,
  window: '10s',
  store: redis === undefined ? memoryStore() : redisStore(redis),
})

app.get('/', (request) => {
  const { remaining, limit } = request.rateLimit
  return `Hello. You have ${remaining} of ${limit} requests left.\n`
})

app.get('/report', { config: { rateLimit: { limit: 2 } } }, (request) => {
  return `A report. You may ask for ${request.rateLimit.remaining} more.\n`
})

app.addHook('onClose', () => redis?.disconnect())

await app.listen({ port: Number(port) })
const url = `http://localhost:${port}/`
console.log(`Listening on ${url}, counting in ${redis === undefined ? 'memory' : 'Redis'}. Try:

  curl -i ${url}
  for i in 1 2 3 4 5 6; do curl -s -o /dev/null -w '%{http_code}\\n' ${url}; done
  curl -i -H 'Accept: text/plain' ${url}
  for i in 1 2 3; do curl -i ${url}report; done

The first five requests are answered 200, the sixth 429; the headers say how long to wait. The report has a limit of its own.`)

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void app.close())
