import { called } from '../processes/called.js'
import { serve } from '../processes/serve.js'
import { frameworks } from './contenders.js'
import { portOf } from './listening.js'

// Runs a server. The command line has the framework, the limiter, the limit, the window and, for counts in Redis, the port of Redis.

const [framework, name, limit, windowMs, redis] = process.argv.slice(2)
const contender = called(await frameworks[framework](), name)
const where = redis === undefined ? {} : { redis: Number(redis) }
const setup = { limit: Number(limit), windowMs: Number(windowMs), ...where }
const port = await portOf(await contender.listener(setup))

// The CPU time of the server so far.
serve(() => {
  const { user, system } = process.cpuUsage()
  return { port, microseconds: user + system }
})
