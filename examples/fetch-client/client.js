// Calls an API that allows five requests a second: 12 calls with plain fetch, and 12 that wait for their turn. With REDIS_URL set, all clients that use that
// Redis wait together. The API is part of this program, so that it runs without the internet.
import { once } from 'node:events'
import { createLimiter, limitedFetch, memoryStore, redisStore, tokenBucket } from '@sluice/client'
import { fixedWindow, rateLimit } from '@sluice/express'
import express from 'express'
import { Redis } from 'ioredis'

const { REDIS_URL: redisUrl } = process.env

const redis = redisUrl === undefined ? undefined : new Redis(redisUrl)
redis?.on('error', (error) => console.error(`Redis: ${error.message}`))

const api = express()
for (const path of ['/plain', '/limited']) {
  const limit = rateLimit({ name: path, policies: fixedWindow({ limit: 5, window: '1s' }) })
  api.get(path, limit, (_request, response) => void response.send('An item.'))
}
const server = api.listen(0, '127.0.0.1')
await once(server, 'listening')
const url = `http://127.0.0.1:${server.address().port}`

const limiter = createLimiter({
  name: 'api',
  policies: tokenBucket({ capacity: 5, refill: 5, every: '1s' }),
  store: redis === undefined ? memoryStore() : redisStore(redis),
})
const limited = limitedFetch(limiter, { key: 'api', maxWait: '30s', retries: 2 })

await callTwelveTimes('plain fetch', fetch, `${url}/plain`)
await callTwelveTimes('limitedFetch', limited, `${url}/limited`)
server.close()
redis?.disconnect()

async function callTwelveTimes(name, call, address) {
  const began = performance.now()
  const responses = await Promise.all(Array.from({ length: 12 }, () => call(address)))
  await Promise.all(responses.map((response) => response.text()))
  const refused = responses.filter(({ status }) => status === 429).length
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  console.log(`${name}: ${12 - refused} answered, ${refused} refused, in ${seconds} s`)
}
