import { createLimiter, redisStore, slidingLog } from '@sluice/core'
import type { Redis } from 'ioredis'
import { memoryOf } from '../redis-usage.js'
import { timeout, windowMs } from '../deciding.js'
import type { Contender } from './contenders/contender.js'

/** The bytes of one key of a contender, and those of an integer under the same name. The server must be empty, and is emptied at the end. */
export async function bytesPerKey(
  admin: Redis,
  client: Redis,
  { open }: Contender,
): Promise<{ readonly own: number; readonly integer: number }> {
  const decide = await open(client)
  await decide('user:0012345')
  const keys = await admin.keys('*')
  const own = await memoryOf(admin, '*')
  for (const key of keys) await admin.set(key, 1, 'PX', windowMs)
  const integer = (await memoryOf(admin, '*')) / keys.length
  await admin.flushall()
  return { own, integer }
}

/** The bytes of each event in a log whose events all have different times. */
export async function bytesPerEvent(admin: Redis, client: Redis, events: number): Promise<number> {
  const everyMs = windowMs / events
  const begin = Date.now() - windowMs
  const key = 'user:0012345'
  let now = begin
  const limiter = createLimiter({
    name: 'api',
    policies: slidingLog({ limit: events, window: windowMs }),
    store: redisStore(client, { timeout }),
    clock: () => now,
  })
  for (let i = 0; i < events; i++) {
    now = begin + i * everyMs
    await limiter.consume(key)
  }
  const ours = (await memoryOf(admin, '*')) / events
  await admin.flushall()
  return ours
}
