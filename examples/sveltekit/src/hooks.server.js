// Limits of a SvelteKit application: five requests in ten seconds, and two streams at once, for each client. Start it, and try:
//
//   npm run build && npm start
//   curl -i http://localhost:3000/
//   for i in 1 2 3 4 5 6; do curl -s -o /dev/null -w '%{http_code}\n' http://localhost:3000/; done
//   curl -N http://localhost:3000/stream
//
// The first five requests get a 200, the sixth a 429, with the wait in its headers. Two streams run at once; a third one gets a 429 until one of them ends.
import { concurrency, memoryStore, rateLimit, redisStore } from '@sluice/fetch/sveltekit'
import { sequence } from '@sveltejs/kit/hooks'
import { Redis } from 'ioredis'

const { REDIS_URL: redisUrl } = process.env

const redis = redisUrl === undefined ? undefined : new Redis(redisUrl)
redis?.on('error', (error) => console.error(`Redis: ${error.message}`))
const store = redis === undefined ? memoryStore() : redisStore(redis)

const requests = rateLimit({
  limit: 5,
  window: '10s',
  store,
  skip: ({ route }) => route.id === '/stream',
})

// A unit is in use until its stream has ended, or until its client disconnects.
const streams = rateLimit({
  name: 'streams',
  policies: concurrency({ limit: 2, lease: '30s' }),
  store,
  skip: ({ route }) => route.id !== '/stream',
})

export const handle = sequence(requests, streams)
