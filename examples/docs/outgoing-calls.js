// @ts-nocheck -- the servers of the calls are those of the application
// Limits of outgoing calls.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
// #region calls
import { createLimiter, DeniedError, limitedFetch, redisStore, tokenBucket } from '@sluice/client'
import { Redis } from 'ioredis'

const redis = new Redis(process.env.REDIS_URL ?? 'redis://localhost')
redis.on('error', (error) => console.error(`Redis: ${error.message}`))

const limiter = createLimiter({
  name: 'partner',
  policies: tokenBucket({ capacity: 30, refill: 10, every: '1s' }),
  store: redisStore(redis),
})
const call = limitedFetch(limiter, { maxWait: '30s', retries: 2 })

export async function items(url) {
  try {
    const response = await call(`${url}/items`)
    return response.ok ? await response.json() : []
  } catch (error) {
    if (error instanceof DeniedError) return [] // the wait would be longer than 30 s
    throw error
  }
}
// #endregion

let asked = 0
const server = createServer((request, response) => {
  asked++
  response.setHeader('Content-Type', 'application/json')
  if (asked === 1) response.writeHead(429, { 'Retry-After': '1' })
  response.end('["an item"]')
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const url = `http://127.0.0.1:${server.address().port}`
const began = performance.now()
assert.deepEqual(await items(url), ['an item'])
assert.equal(asked, 2)
assert.ok(performance.now() - began >= 990)

await limiter.block(new URL(url).host, '10m')
assert.deepEqual(await items(url), [])
assert.equal(asked, 2)

// #region key
const account = limitedFetch(limiter, { key: ['account', 'acme'] })
// #endregion
const answer = await account(url)
assert.equal(answer.status, 200)

// #region wait
// The server answers a denied call with { "retry_after": 1.5 }.
const bot = limitedFetch(limiter, {
  key: 'bot',
  async waitOf(response) {
    if (response.status !== 429) return undefined
    const { retry_after: seconds } = await response.clone().json()
    return seconds * 1000
  },
})
// #endregion
const denying = createServer((_request, response) => {
  response.writeHead(asked++ === 3 ? 429 : 200, { 'Content-Type': 'application/json' })
  response.end('{"retry_after":0.3}')
})
denying.listen(0, '127.0.0.1')
await once(denying, 'listening')
const start = performance.now()
const sent = await bot(`http://127.0.0.1:${denying.address().port}`)
assert.deepEqual([sent.status, asked], [200, 5])
assert.ok(performance.now() - start >= 290)
denying.close()
denying.closeAllConnections()
server.close()
server.closeAllConnections()
redis.disconnect()
