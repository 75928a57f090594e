import { Redis } from 'ioredis'
import { contenderCalled as contenderInMemory } from '../memory/contenders.js'
import { freshKeys, zipf } from '../memory/keys.js'
import { nanosecondsOf } from '../memory/timing.js'
import { serve } from '../processes/serve.js'
import { contenderCalled as contenderOverRedis } from '../redis/contenders/index.js'
import { inFlight } from '../redis/in-flight.js'
import { isWatcher, watch } from './watchers.js'

// Measures decisions while something watches them. The command line has the watcher and the port of Redis.

const [, , watcher, port] = process.argv
if (!isWatcher(watcher)) throw new Error(`there is no watcher ${watcher}`)
watch(watcher, Number(port))

const name = 'Sluice, slidingWindow'
const keyCount = 10_000
const slice = 100_000
const atOnce = 64
const contender = contenderInMemory(name)
const { called } = await contender.open({ limit: 1e8, windowMs: 3_600_000, keys: keyCount })
if (called === undefined) throw new Error(`${name} answers with promises`)
const decideOverRedis = await contenderOverRedis(name).open(new Redis(Number(port), '127.0.0.1'))
const keys = freshKeys(keyCount)
const draws = zipf(keyCount, slice)
const hot = Array<string>(slice).fill('user:hot')

// The work is the number of decisions over Redis.
serve(async (decisions) => {
  globalThis.gc?.()
  const oneKey = await nanosecondsOf(called, hot, true)
  const manyKeys = await nanosecondsOf(called, keys.of(draws), true)
  const overRedis = await inFlight(
    decideOverRedis,
    keys.of(Array.from({ length: Number(decisions) }, (_, i) => i % keyCount)),
    atOnce,
  )
  return { oneKey, manyKeys, overRedis: overRedis['clientMicroseconds'] * 1000 }
})
