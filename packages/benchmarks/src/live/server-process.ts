import { fastify } from 'fastify'
import { memoryStore, rateLimit } from '@sluice/fastify'
import { portOf } from '../http/listening.js'
import { serve } from '../processes/serve.js'
import { isWatcher, watch } from './watchers.js'

// A Fastify server with a limit in memory while something watches its decisions. The command line has the watcher and the port of Redis.

const [, , watcher, redisPort] = process.argv
if (!isWatcher(watcher)) throw new Error(`there is no watcher ${watcher}`)
const app = fastify({ trustProxy: '127.0.0.1' })
await app.register(rateLimit, { limit: 1_000_000, window: '1h', store: memoryStore() })
app.get('/', async () => ({ hello: 'world' }))
await app.ready()
const port = await portOf((request, response) => {
  app.routing(request, response)
})
const dashboard = watch(watcher, Number(redisPort))
const pagePort = dashboard === undefined ? 0 : await portOf(dashboard.handler)

// The CPU time of the server so far.
serve(() => {
  const { user, system } = process.cpuUsage()
  return { port, pagePort, microseconds: user + system }
})
