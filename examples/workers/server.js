// A Cloudflare Worker that allows each client five requests in ten seconds, and two streams at once. With the variables UPSTASH_REDIS_REST_URL and
// UPSTASH_REDIS_REST_TOKEN, all isolates count together in that Redis; otherwise each isolate counts separately. `npm start` prints the address. Try:
//
//   curl -i http://localhost:8787/
//   for i in 1 2 3 4 5 6; do curl -s -o /dev/null -w '%{http_code}\n' http://localhost:8787/; done
//   curl -i -H 'Accept: text/plain' http://localhost:8787/
//   curl -N http://localhost:8787/stream
//
// The first five requests get a 200, the sixth a 429, with the wait in its headers. Two streams run at once; a third one gets a 429 until one of them ends.
import {
  concurrency,
  decisionOf,
  memoryStore,
  rateLimit,
  redisStore,
  restClient,
} from '@sluice/fetch'
import { env } from 'cloudflare:workers'

const { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token } = env

const store = url === undefined ? memoryStore() : redisStore(restClient({ url, token }))

// There is no socket. Cloudflare overwrites this header in every request.
const address = { header: 'CF-Connecting-IP' }

const requests = rateLimit({ limit: 5, window: '10s', store, address })

// A unit is in use until its stream has ended, or until its client disconnects.
const streams = rateLimit({
  name: 'streams',
  policies: concurrency({ limit: 2, lease: '30s' }),
  store,
  address,
})

const paths = {
  '/': requests((request) => {
    const { remaining, limit } = decisionOf(request)
    return new Response(`Hello. You have ${remaining} of ${limit} requests left.\n`)
  }),

  '/stream': streams(
    () => new Response(seconds(), { headers: { 'Content-Type': 'text/event-stream' } }),
  ),
}

function seconds() {
  let second = 0
  return new ReadableStream({
    async pull(controller) {
      if (second > 0) await new Promise((resolve) => setTimeout(resolve, 1000))
      controller.enqueue(new TextEncoder().encode(`second ${++second}\n`))
      if (second === 60) controller.close()
    },
  })
}

export default {
  // Passes on all arguments: the last one has `waitUntil`, which keeps the Worker running until Redis knows that a stream has ended.
  fetch(request, ...rest) {
    const { pathname } = new URL(request.url)
    if (Object.hasOwn(paths, pathname)) return paths[pathname](request, ...rest)
    return new Response('Not found.\n', { status: 404 })
  },
}
