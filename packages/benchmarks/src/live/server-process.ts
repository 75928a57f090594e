import { createDashboard, redisView, type Dashboard } from '@sluice/dashboard'
import { fastify } from 'fastify'
import { memoryStore, rateLimit } from '@sluice/fastify'
import { Redis } from 'ioredis'
import { portOf } from '../http/listening.js'
import { serve } from '../processes/serve.js'

// A Fastify server with a limit in memory, with a dashboard and without one in turns. The command line has the port of Redis.

const share = redisView(new Redis(Number(process.argv[2]), '127.0.0.1'))
const app = fastify({ trustProxy: '127.0.0.1' })
await app.register(rateLimit, { limit: 1_000_000, window: '1h', store: memoryStore() })
app.get('/', async () => ({ hello: 'world' }))
await app.ready()
const port = await portOf((request, response) => {
  app.routing(request, response)
})
let dashboard: Dashboard | undefined
const pagePort = await portOf((request, response) => {
  if (dashboard === undefined) response.end()
  else dashboard.handler(request, response)
})

// The work is `open`, `close` or nothing. The answer has the CPU time of the server so far.
serve(async (work) => {
  if (work === 'open') {
    dashboard = createDashboard({ limiters: {}, authorize: () => 'read', share })
  } else if (work === 'close') {
    await dashboard?.close()
    dashboard = undefined
  }
  const { user, system } = process.cpuUsage()
  return { port, pagePort, microseconds: user + system }
})
