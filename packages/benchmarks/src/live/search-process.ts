import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { createLimiter, redisStore } from '@sluice/core'
import { createDashboard, redisView } from '@sluice/dashboard'
import { Redis } from 'ioredis'
import { portOf } from '../http/listening.js'
import { freshKeys } from '../memory/keys.js'
import { serve } from '../processes/serve.js'
import { fieldOf } from '../ratios.js'
import { inFlight } from '../redis/in-flight.js'

// Searches the keys of a limiter, as the page does. The command line has the port of Redis and the number of keys.

const [port, keyCount] = process.argv.slice(2).map(Number)
const client = new Redis(port, '127.0.0.1')
const store = redisStore(client, { timeout: '30s' })
const limiter = createLimiter({ name: 'searched', limit: 100, window: '1d', store })
const keys = freshKeys(keyCount)
const some = 10_000
for (let from = 0; from < keyCount; from += some) {
  const length = Math.min(some, keyCount - from)
  const next = keys.of(Array.from({ length }, (_, i) => from + i))
  await inFlight(async (key) => (await limiter.consume(key)).allowed, next, 512)
}
const dashboard = createDashboard({
  limiters: { limiter },
  authorize: () => 'read',
  share: redisView(client),
})
const pagePort = await portOf(dashboard.handler)

// The work is "idle" or "search", and the seconds.
serve(async (work) => {
  const [what, seconds] = work.split(' ')
  const loop = monitorEventLoopDelay({ resolution: 1 })
  loop.enable()
  const endsAt = performance.now() + Number(seconds) * 1000
  const scanned = what === 'search' ? await searched(endsAt) : await idle(endsAt)
  loop.disable()
  return { loopP99Ms: loop.percentile(99) / 1e6, scanned }
})

async function idle(endsAt: number): Promise<number> {
  await delay(endsAt - performance.now())
  return 0
}

/** The names of keys that were read until then. */
async function searched(endsAt: number): Promise<number> {
  let scanned = 0
  let cursor: unknown
  while (performance.now() < endsAt) {
    const query = new URLSearchParams({ limiter: 'searched' })
    if (typeof cursor === 'string') query.set('cursor', cursor)
    const response = await fetch(`http://127.0.0.1:${pagePort}/api/search?${query.toString()}`)
    const found: unknown = await response.json()
    if (!response.ok) throw new Error(JSON.stringify(found))
    scanned += Number(fieldOf(found, 'scanned'))
    cursor = fieldOf(found, 'cursor')
  }
  return scanned
}
