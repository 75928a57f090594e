import type { Redis } from 'ioredis'
import type { ContenderProcess } from '../processes/contender-process.js'
import type { Reading } from '../processes/reading.js'
import { sentOf, usageOf } from '../redis-usage.js'

/** Measures a process, and adds the cost for the Redis server. */
export async function trial(
  admin: Redis,
  contender: ContenderProcess,
  work: string,
  decisions: number,
): Promise<Reading> {
  let reading: Reading = {}
  const usage = await usageOf(admin, async () => {
    reading = await contender.measure(work)
  })
  return {
    ...reading,
    redisMicroseconds: usage.cpuMicroseconds / decisions,
    bytesIn: usage.bytesIn / decisions,
    bytesOut: usage.bytesOut / decisions,
    commands: sentOf(usage) / decisions,
  }
}
