import type { Redis } from 'ioredis'
import type { ContenderProcess } from '../processes/contender-process.js'
import type { Reading } from '../processes/reading.js'
import { sentOf, usageOf } from '../redis-usage.js'

/** What the clients do. */
export interface Load {
  readonly connections: number
  /** From how many addresses. */
  readonly addresses: number
  /** How many they send together. Either this is said, or for how long they send. */
  readonly requests?: number
  readonly seconds?: number
}

/** Has the clients ask a server, and tells what each request cost it, and what it asked of Redis. */
export async function trial(
  admin: Redis,
  server: ContenderProcess,
  clients: ContenderProcess,
  load: Load,
): Promise<Reading> {
  const before = await server.measure('')
  let answers: Reading = {}
  const usage = await usageOf(admin, async () => {
    answers = await clients.measure(JSON.stringify({ port: before['port'], ...load }))
  })
  const after = await server.measure('')
  const requests = answers['admitted'] + answers['denied']
  if (load.requests !== undefined && answers['admitted'] !== load.requests) {
    throw new Error(`${answers['admitted']} of ${load.requests} requests were admitted`)
  }
  const commands = sentOf(usage)
  return {
    ...answers,
    microseconds: (after['microseconds'] - before['microseconds']) / requests,
    commandsPerRequest: commands / requests,
    commandsPerSecond: commands / answers['seconds'],
  }
}
