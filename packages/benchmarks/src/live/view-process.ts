import { setTimeout as delay } from 'node:timers/promises'
import { createLimiter, fixedWindow, memoryStore } from '@sluice/core'
import { createDashboard, redisView, type Dashboard, type DashboardShare } from '@sluice/dashboard'
import { Redis } from 'ioredis'
import { portOf } from '../http/listening.js'
import { zipf } from '../memory/keys.js'
import { serve } from '../processes/serve.js'

// A dashboard that adds up the data of several processes. The command line has the port of Redis, and the numbers of processes and limiters. This
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
await writeOthers()
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
  return async (_process, snapshot, cleared) => {
    others.set(id, snapshot)
    return share.write(id, snapshot, cleared)
  }
}

/** Each of the other processes writes every five seconds, as it does in an application, and its data are new each time. */
async function writeOthers(): Promise<void> {
  const all = Array.from(others)
  const write = async ([id, snapshot]: (typeof all)[number]): Promise<unknown> =>
    share.write(id, snapshot.replace(/"at":\d+/, `"at":${Date.now()}`), [])
  for (const one of all) await write(one)
  let next = 0
  setInterval(() => void write(all[next++ % all.length]), 5000 / all.length).unref()
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(10)
}

serve(() => ({ port: viewPort }))
