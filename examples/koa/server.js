// A Koa server that allows each client five requests in ten seconds. With REDIS_URL set, all processes that use
// that Redis count together; otherwise each process counts separately.
import { memoryStore, rateLimit, redisStore } from '@sluice/koa'
import Koa from 'koa'
import { Redis } from 'ioredis'

const { PORT: port = '3000', REDIS_URL: redisUrl } = process.env

const redis = redisUrl === undefined ? undefined : new Redis(redisUrl)
redis?.on('error', (error) => console.error(`Redis: ${error.message}`))

const app = new Koa()

app.use(
  rateLimit({
    limit: 5,
    window: '10s',
    store: redis === undefined ? memoryStore() : redisStore(redis),
  }),
)

app.use((ctx) => {
  const { remaining, limit } = ctx.state.rateLimit
  ctx.body = `Hello. You have ${remaining} of ${limit} requests left.\n`
})

const server = app.listen(Number(port), () => {
  const url = `http://localhost:${port}/`
  console.log(`Listening on ${url}, counting in ${redis === undefined ? 'memory' : 'Redis'}. Try:

  curl -i ${url}
  for i in 1 2 3 4 5 6; do curl -s -o /dev/null -w '%{http_code}\\n' ${url}; done
  curl -i -H 'Accept: text/plain' ${url}

The first five requests get a 200, the sixth a 429, with the wait in its headers.`)
})

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    server.close()
    redis?.disconnect()
  })
}
