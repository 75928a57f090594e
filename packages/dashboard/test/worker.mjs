// A process with a limiter over Redis and a dashboard, whose port is its first message. Argument: the port of Redis. It consumes as its parent asks: { key, times }, and answers with the decisions.
import { once } from 'node:events'
import { createServer } from 'node:http'
import process from 'node:process'
import { createLimiter, fixedWindow, redisStore } from '@sluice/core'
import { Redis } from 'ioredis'
import { createDashboard, redisView } from '../bundle/index.js'

// A dashboard writes its data every five seconds, and the tests do not wait that long.
const { setInterval: every } = globalThis
globalThis.setInterval = (call, ms) => every(call, Math.min(ms, 250))

const redis = new Redis(Number(process.argv[2]), '127.0.0.1')
redis.on('error', () => {})
const limiter = createLimiter({
  name: 'shared',
  policies: fixedWindow({ limit: 10, window: '1h' }),
  store: redisStore(redis, { timeout: '10s' }),
})
const dashboard = createDashboard({
  limiters: { limiter },
  authorize: () => 'write',
  share: redisView(redis),
})

async function consume({ key, times }) {
  const allowed = []
  for (let i = 0; i < times; i++) allowed.push((await limiter.consume(key)).allowed)
  process.send?.(allowed)
}

process.on('message', (asked) => void consume(asked))
process.once('disconnect', () => {
  server.close()
  void dashboard.close().then(() => redis.disconnect())
})
const server = createServer(dashboard.handler).listen(0, '127.0.0.1')
await once(server, 'listening')
process.send?.(server.address().port)
