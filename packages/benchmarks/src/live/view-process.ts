import { setTimeout as delay } from 'node:timers/promises'
import { createLimiter, fixedWindow, memoryStore } from '@sluice/core'
import { createDashboard, redisView, type Dashboard, type DashboardShare } from '@sluice/dashboard'
import { Redis } from 'ioredis'
import { portOf } from '../http/listening.js'
import { zipf } from '../memory/keys.js'
import { serve } from '../processes/serve.js'
import { fieldOf } from '../ratios.js'

// Measures api/view of a dashboard that adds up the data of several processes. The command line has the port of Redis, and the numbers of processes and limiters. This
// process makes the data of all of them, one after another: each has a dashboard of its own, and what it writes is kept.

const [port, processes, limiters] = process.argv.slice(2).map(Number)
const share = redisView(new Redis(port, '127.0.0.1'))
const keyCount = 3000
const stepMs = 10_000
const steps = 354

/** The data that the other processes have written, by their ids. */
const others = new Map<string, string>()
for (let i = 1; i < processes; i++) {
  const other = dashboardAfterAnHour({ ...share, write: keep(`process ${i}`) })
  await until(() => others.has(`process ${i}`))
  await other.close()
}
const dashboard = dashboardAfterAnHour(share)
const viewPort = await portOf(dashboard.handler)

/** A dashboard that has seen an hour of requests. */
function dashboardAfterAnHour(own: DashboardShare): Dashboard {
  const clock = { now: Date.now() - steps * stepMs }
  const made = createDashboard({
    limiters: {},
    authorize: () => 'read',
    share: own,
    clock: () => clock.now,
  })
  anHour(clock)
  return made
}

/** Requests of Zipf's law to each limiter, which deny thousands of keys. */
function anHour(clock: { now: number }): void {
  const draws = zipf(keyCount, steps * 20)
  const policies = {
    minute: fixedWindow({ limit: 2, window: '1m' }),
    hour: fixedWindow({ limit: 5, window: '1h' }),
  }
  const all = Array.from({ length: limiters }, (_, i) =>
    createLimiter({
      name: `limiter ${i}`,
      policies,
      store: memoryStore({ maxKeys: keyCount * 2 }),
      clock: () => clock.now,
    }),
  )
  for (let step = 0; step < steps; step++) {
    clock.now += stepMs
    for (const draw of draws.subarray(step * 20, step * 20 + 20)) {
      for (const limiter of all) limiter.consume(`203.0.113.${draw}`)
    }
  }
}

function keep(id: string): DashboardShare['write'] {
  return async (_process, snapshot, secret) => {
    others.set(id, snapshot)
    return share.write(id, snapshot, secret)
  }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(10)
}

// The work is the number of requests. Each of them reads the data of all processes, which a process reads at most once a second.
serve(async (requests) => {
  const times: number[] = []
  let bytes = 0
  for (let i = 0; i < Number(requests); i++) {
    for (const [id, snapshot] of others) await share.write(id, snapshot, 'secret')
    await delay(1100)
    const before = performance.now()
    const response = await fetch(`http://127.0.0.1:${viewPort}/api/view`)
    const text = await response.text()
    times.push(performance.now() - before)
    const view: unknown = JSON.parse(text)
    bytes = text.length
    if (!isWhole(view)) throw new Error('the view lacks processes or limiters')
  }
  times.sort((a, b) => a - b)
  return { medianMs: times[times.length >> 1], worstMs: times[times.length - 1], bytes }
})

function isWhole(view: unknown): boolean {
  const listed = fieldOf(view, 'limiters')
  const isComplete = Array.isArray(listed) && listed.length === limiters
  return isComplete && fieldOf(view, 'processes') === processes
}
