import { serve } from '../processes/serve.js'
import { frameworks } from './contenders.js'
import { portOf } from './listening.js'

// Runs a server. The command line has the framework, the limiter, the limit, the window and, for counts in Redis, the port of Redis.

const [framework, name, limit, windowMs, redis] = process.argv.slice(2)
const contenders = await frameworks[framework]()
const contender = contenders.find((contender) => contender.name === name)
if (contender === undefined) throw new Error(`there is no ${name} on ${framework}`)
const where = redis === undefined ? {} : { redis: Number(redis) }
const setup = { limit: Number(limit), windowMs: Number(windowMs), ...where }
const port = await portOf(await contender.listener(setup))

// The CPU time of the server so far.
serve(() => {
  const { user, system } = process.cpuUsage()
  return { port, microseconds: user + system }
})
