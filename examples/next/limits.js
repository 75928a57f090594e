// Limits of a Next.js application: five requests in ten seconds, and two streams at once, for each client.
//
// Next.js passes on the X-Forwarded-For that a client wrote, so a proxy has to be in front, which appends the address that it sees. Start it, and ask as
// such a proxy does:
//
//   npm run build && npm start
//   curl -i -H 'X-Forwarded-For: 192.0.2.1' http://localhost:3000/
//   for i in 1 2 3 4 5 6; do curl -s -o /dev/null -w '%{http_code}\n' -H 'X-Forwarded-For: 192.0.2.1' http://localhost:3000/; done
//   curl -N -H 'X-Forwarded-For: 192.0.2.1' http://localhost:3000/stream
//
// The first five requests get a 200, the sixth a 429, with the wait in its headers. Two streams run at once; a third one gets a 429 until one of them ends.
import { concurrency, memoryStore, rateLimit, redisStore } from '@sluice/fetch/next'
import { Redis } from 'ioredis'

const { REDIS_URL: redisUrl } = process.env

const redis = redisUrl === undefined ? undefined : new Redis(redisUrl)
redis?.on('error', (error) => console.error(`Redis: ${error.message}`))
// Next.js loads this module once for each route. In memory, each route counts separately, as it does here anyway.
const store = redis === undefined ? memoryStore() : redisStore(redis)

const address = { proxies: 1 }

export const requests = rateLimit({ limit: 5, window: '10s', store, address })

// A unit is in use until its stream has ended, or until its client disconnects.
export const streams = rateLimit({
  name: 'streams',
  policies: concurrency({ limit: 2, lease: '30s' }),
  store,
  address,
})
