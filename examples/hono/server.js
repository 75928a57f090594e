// A Hono server that allows each client five requests in ten seconds, and two streams at once. With REDIS_URL set, all processes that use that Redis
// count together; otherwise each process counts separately.
import { serve } from '@hono/node-server'
import { concurrency, memoryStore, rateLimit, redisStore } from '@sluice/hono'
import { Hono } from 'hono'
import { streamText } from 'hono/streaming'
import { Redis } from 'ioredis'

const { PORT: port = '3000', REDIS_URL: redisUrl } = process.env

const redis = redisUrl === undefined ? undefined : new Redis(redisUrl)
redis?.on('error', (error) => console.error(`Redis: ${error.message}`))
const store = redis === undefined ? memoryStore() : redisStore(redis)

const app = new Hono()

app.get('/', rateLimit({ limit: 5, window: '10s', store }), (c) => {
  const { remaining, limit } = c.get('rateLimit')
  return c.text(`Hello. You have ${remaining} of ${limit} requests left.\n`)
})

// A unit is in use until its stream has ended, or until its client disconnects.
const streams = concurrency({ limit: 2, lease: '30s' })

app.get('/stream', rateLimit({ name: 'streams', policies: streams, store }), (c) =>
  streamText(c, async (stream) => {
    for (let second = 1; second <= 60 && !stream.aborted; second++) {
      await stream.writeln(`second ${second}`)
      await stream.sleep(1000)
    }
  }),
)

const server = serve({ fetch: app.fetch, port: Number(port) }, () => {
  const url = `http://localhost:${port}/`
  console.log(`Listening on ${url}, counting in ${redis === undefined ? 'memory' : 'Redis'}. Try:

  curl -i ${url}
  for i in 1 2 3 4 5 6; do curl -s -o /dev/null -w '%{http_code}\\n' ${url}; done
  curl -i -H 'Accept: text/plain' ${url}
  curl -N ${url}stream

The first five requests get a 200, the sixth a 429, with the wait in its headers. Two streams run at once; a third one gets a 429 until one of them ends.`)
})

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    server.close()
    redis?.disconnect()
  })
}
