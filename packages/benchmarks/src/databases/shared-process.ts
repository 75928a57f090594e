import { createLimiter, slidingWindow } from '@sluice/core'
import { sqliteDrivers } from '@sluice/test-kit/sqlite'
import { postgresStore } from '@sluice/postgres'
import { sqliteStore } from '@sluice/sqlite'
import pg from 'pg'
import { freshKeys, zipf } from '../memory/keys.js'
import { called } from '../processes/called.js'
import { serve } from '../processes/serve.js'
import { limit, windowMs } from '../deciding.js'
import { percentileOf } from '../redis/in-flight.js'
import { sharedLoads } from './loads.js'

// One of several processes that decide by one limiter, with the default timeout. The command line has the name of the load, the number of decisions, and the
// address or the file.

const [, , name, decisions, target] = process.argv
const { database, isHot, inFlight } = called(sharedLoads, name)
const store =
  database === 'postgres'
    ? postgresStore(new pg.Pool({ connectionString: target, max: 4 }), { migrate: true })
    : sqliteStore(sqliteDrivers()[0].open(target))
const limiter = createLimiter({
  name: 'shared',
  policies: slidingWindow({ limit, window: windowMs }),
  store,
  onStoreError: 'deny',
})

const keys = freshKeys(1000)
const drawn = keys.of(zipf(1000, Number(decisions)).map((number) => (isHot ? 0 : number)))

serve(async () => {
  const times: number[] = []
  let next = 0
  let late = 0
  async function work(): Promise<void> {
    while (next < drawn.length) {
      const key = drawn[next++]
      const startedAt = performance.now()
      const { source } = await limiter.consume(key)
      times.push(performance.now() - startedAt)
      if (source !== 'store') late++
    }
  }
  await Promise.all(Array.from({ length: inFlight }, work))
  return {
    p50Ms: percentileOf(times, 0.5),
    p99Ms: percentileOf(times, 0.99),
    lateShare: late / drawn.length,
  }
})
