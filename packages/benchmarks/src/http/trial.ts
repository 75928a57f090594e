import type { Redis } from 'ioredis'
import type { ContenderProcess } from '../processes/contender-process.js'
import type { Reading } from '../processes/reading.js'
import { sentOf, usageOf } from '../redis-usage.js'

/** The requests of the clients. */
export interface Load {
  readonly connections: number
  /** The number of client addresses. */
  readonly addresses: number
  /** The total number of requests. Either this or `seconds` is given. */
  readonly requests?: number
  readonly seconds?: number
}

/** Sends the requests to a server and measures its CPU time and its Redis commands for each request. */
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
  const requests = answers['allowed'] + answers['denied']
  if (load.requests !== undefined && answers['allowed'] !== load.requests) {
    throw new Error(`${answers['allowed']} of ${load.requests} requests were allowed`)
  }
  const commands = sentOf(usage)
  return {
    ...answers,
    microseconds: (after['microseconds'] - before['microseconds']) / requests,
    commandsPerRequest: commands / requests,
    commandsPerSecond: commands / answers['seconds'],
  }
}
