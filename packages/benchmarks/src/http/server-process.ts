import { once } from 'node:events'
import { createServer } from 'node:http'
import { called } from '../processes/called.js'
import { serve } from '../processes/serve.js'
import { frameworks } from './contenders.js'

// Runs a server. The command line has the framework, the limiter, the limit, the window and, for counts in Redis, the port of Redis.

const [framework, name, limit, windowMs, redis] = process.argv.slice(2)
const contender = called(await frameworks[framework](), name)
const where = redis === undefined ? {} : { redis: Number(redis) }
const setup = { limit: Number(limit), windowMs: Number(windowMs), ...where }
const server = createServer(await contender.listener(setup)).listen(0, '127.0.0.1')
await once(server, 'listening')
const address = server.address()
if (typeof address !== 'object' || address === null) throw new Error('the server has no port')
const { port } = address

// The CPU time of the server so far.
serve(() => {
  const { user, system } = process.cpuUsage()
  return { port, microseconds: user + system }
})
