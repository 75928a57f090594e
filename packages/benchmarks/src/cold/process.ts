import { called } from '../processes/called.js'
import type { Reading } from '../processes/reading.js'
import { serve } from '../processes/serve.js'
import type { Decide } from '../deciding.js'
import { countedFirst, timed, timedFirst } from './timing.js'

// Measures what a new process does first, once. The command line has the work; for decisions also the contender and, over Redis, the server's port.

const [, , work, name, port] = process.argv

serve(async () => {
  if (work === 'memory') return inMemory()
  if (work === 'redis') return timedFirst(await openedOverRedis())
  return work === 'first second' ? countedFirst(await openedOverRedis()) : imported(Number(work))
})

async function imported(index: number): Promise<Reading> {
  const { imports } = await import('./imports.js')
  const { before, load } = imports[index]
  await before?.()
  return timed(load)
}

async function inMemory(): Promise<Reading> {
  const { contenders } = await import('../memory/contenders.js')
  const decider = await called(contenders, name).open({ limit: 1e6, windowMs: 60_000, keys: 1000 })
  return timedFirst((key) => decider.decide(key))
}

async function openedOverRedis(): Promise<Decide> {
  const { Redis } = await import('ioredis')
  const { contenders } = await import('../redis/contenders/index.js')
  const client = new Redis(Number(port), '127.0.0.1')
  // A server connects before its first request.
  await client.ping()
  return called(contenders, name).open(client)
}
