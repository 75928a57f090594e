import { serve } from '../processes/serve.js'
import { frameworks } from './contenders.js'

// A server. Its framework, its limiter, its limit and its window stand on the command line, and the port of a Redis, where it uses one.

const [framework, name, limit, windowMs, redis] = process.argv.slice(2)
const contenders = await frameworks[framework]()
const contender = contenders.find((contender) => contender.name === name)
if (contender === undefined) throw new Error(`there is no ${name} on ${framework}`)
const where = redis === undefined ? {} : { redis: Number(redis) }
const port = await contender.serve({ limit: Number(limit), windowMs: Number(windowMs), ...where })

// What it has used of the processor so far.
serve(() => {
  const { user, system } = process.cpuUsage()
  return { port, microseconds: user + system }
})
