// A Fastify server that allows each client five requests in ten seconds, and two to an expensive route. With REDIS_URL set, all processes
// that use that Redis count together; otherwise each process counts separately.
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

app.get('/report', { config: { sluice: { limit: 2 } } }, (request) => {
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

The first five requests get a 200, the sixth a 429, with the wait in its headers. The report has its own limit.`)

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void app.close())
