// Two processes that count together in one Redis (REDIS_URL): of 20 requests, spread over both, 10 are allowed.
import assert from 'node:assert/strict'
import { subscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { get } from 'node:http'
import { text } from 'node:stream/consumers'
// #region cluster
import cluster from 'node:cluster'
import { rateLimit, redisStore } from '@sluice/express'
import express from 'express'
import { Redis } from 'ioredis'
// #endregion

const { REDIS_URL: url } = process.env
if (url === undefined) process.exit()
process.env.PORT ??= '0' // a free port, the same for all processes
if (cluster.isPrimary) process.env.REDIS_URL = `${url}/1` // without the counts of other programs

// #region cluster
const processes = 2

if (cluster.isPrimary) {
  for (let i = 0; i < processes; i++) cluster.fork()
} else {
  const redis = new Redis(process.env.REDIS_URL ?? 'redis://localhost')
  redis.on('error', (error) => console.error(`Redis: ${error.message}`))

  const app = express()
  const store = redisStore(redis)
  app.use(rateLimit({ name: 'api', limit: 10, window: '1m', store, localShare: 1 / processes }))
  app.get('/', (_request, response) => response.send(`Hello from process ${process.pid}.\n`))
  app.listen(Number(process.env.PORT ?? 3000))
}
// #endregion

// On a busy machine, a call can take longer than the timeout.
let isRedisSlow = false
cluster.on('message', () => (isRedisSlow = true))
subscribe('sluice:fallback', () => process.send?.('fallback'))

if (cluster.isPrimary) {
  const port = await allListen()
  const replies = []
  for (let i = 0; i < 20; i++) replies.push(await visit(port))
  const allowed = replies.filter(({ status }) => status === 200)
  const pids = new Set(allowed.map((reply) => reply.text))
  console.log(`${allowed.length} of ${replies.length} requests allowed, by ${pids.size} processes`)
  if (!isRedisSlow) assert.deepEqual([allowed.length, pids.size], [10, processes])
  for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill()
}

/** Resolves to the port when all processes listen. */
function allListen() {
  return new Promise((resolve) => {
    let listening = 0
    cluster.on('listening', (_worker, { port }) => {
      if (++listening === processes) resolve(port)
    })
  })
}

/** Sends a request over a connection of its own, so that the next one goes to another process. */
async function visit(port) {
  const request = get({ port, host: '127.0.0.1', agent: false })
  const [response] = await once(request, 'response')
  return { status: response.statusCode, text: await text(response) }
}
