// A server of Bun that allows each client five requests in ten seconds, and two streams at once. With REDIS_URL set, all processes that use that Redis
// count together; otherwise each process counts separately.
import { concurrency, decisionOf, memoryStore, rateLimit, redisStore } from '@sluice/fetch'
import { RedisClient } from 'bun'

const { PORT: port = '3000', REDIS_URL: redisUrl } = process.env

const store = redisUrl === undefined ? memoryStore() : redisStore(new RedisClient(redisUrl))

const requests = rateLimit({ limit: 5, window: '10s', store })

// A unit is in use until its stream has ended, or until its client disconnects.
const streams = rateLimit({
  name: 'streams',
  policies: concurrency({ limit: 2, lease: '30s' }),
  store,
})

const hello = requests((request) => {
  const { remaining, limit } = decisionOf(request)
  return new Response(`Hello. You have ${remaining} of ${limit} requests left.\n`)
})

const stream = streams(
  () => new Response(seconds(), { headers: { 'Content-Type': 'text/event-stream' } }),
)

function seconds() {
  let second = 0
  return new ReadableStream({
    async pull(controller) {
      if (second > 0) await Bun.sleep(1000)
      controller.enqueue(new TextEncoder().encode(`second ${++second}\n`))
      if (second === 60) controller.close()
    },
  })
}

const { url } = Bun.serve({
  port: Number(port),
  routes: { '/': hello, '/stream': stream },
  fetch: () => new Response('Not found.\n', { status: 404 }),
})

console.log(`Listening on ${url}, counting in ${redisUrl === undefined ? 'memory' : 'Redis'}. Try:

  curl -i ${url}
  for i in 1 2 3 4 5 6; do curl -s -o /dev/null -w '%{http_code}\\n' ${url}; done
  curl -i -H 'Accept: text/plain' ${url}
  curl -N ${url}stream

The first five requests get a 200, the sixth a 429, with the wait in its headers. Two streams run at once; a third one gets a 429 until one of them ends.`)
